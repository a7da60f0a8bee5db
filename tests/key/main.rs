//! The key: what RFC 8785 says of itself, what other implementations give, and what must hold for any arguments.

mod masks;
mod pipe;
mod properties;
mod rfc8785;
mod spelling;
mod symbols;
mod vectors;
