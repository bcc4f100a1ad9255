//! Elementwise functions: of one tensor, of two, comparisons and choices.

use super::{Builtin, ok};
use crate::ops::numpy;

macro_rules! table {
    (unary { $($u:literal $($module:ident)::+;)* } binary { $($b:literal $f:ident;)* } other { $($other:tt)* }) => {
        &[
            $(Builtin::new($u, "x", |a| ok(crate::$($module)::+(a.tensor(0)?))),)*
            $(Builtin::new($b, "x, y", |a| { let (x, y) = a.pair(0, 1)?; ok(numpy::$f(x, y)) }),)*
            $($other)*
        ]
    };
}

pub(super) static ALL: &[Builtin] = table! {
    unary {
    "negative" numpy::negative;
    "abs" numpy::abs;
    "sign" numpy::sign;
    "floor" numpy::floor;
    "ceil" numpy::ceil;
    "round" numpy::round;
    "square" numpy::square;
    "sqrt" numpy::sqrt;
    "rsqrt" numpy::rsqrt;
    "cbrt" numpy::cbrt;
    "exp" numpy::exp;
    "exp2" numpy::exp2;
    "expm1" numpy::expm1;
    "log" numpy::log;
    "log1p" numpy::log1p;
    "log2" numpy::log2;
    "log10" numpy::log10;
    "sin" numpy::sin;
    "cos" numpy::cos;
    "tan" numpy::tan;
    "asin" numpy::asin;
    "acos" numpy::acos;
    "atan" numpy::atan;
    "sinh" numpy::sinh;
    "cosh" numpy::cosh;
    "tanh" numpy::tanh;
    "asinh" numpy::asinh;
    "acosh" numpy::acosh;
    "atanh" numpy::atanh;
    "erf" numpy::erf;
    "erfc" numpy::erfc;
    "erf_inv" numpy::erf_inv;
    "lgamma" numpy::lgamma;
    "digamma" numpy::digamma;
    "reciprocal" numpy::reciprocal;
    "isfinite" numpy::is_finite;
    "isnan" numpy::is_nan;
    "isinf" numpy::is_inf;
    "logical_not" numpy::logical_not;
    "stop_gradient" numpy::stop_gradient;
    "sigmoid" nn::sigmoid;
    "relu" nn::relu;
    "nn.relu" nn::relu;
    "nn.relu6" nn::relu6;
    "nn.selu" nn::selu;
    "nn.sigmoid" nn::sigmoid;
    "nn.log_sigmoid" nn::log_sigmoid;
    "nn.softplus" nn::softplus;
    "nn.silu" nn::silu;
    "nn.gelu" nn::gelu;
    }
    binary {
    "maximum" maximum;
    "minimum" minimum;
    "pow" pow;
    "atan2" atan2;
    "fmod" fmod;
    "remainder" remainder;
    "floor_divide" floor_divide;
    "hypot" hypot;
    "logaddexp" logaddexp;
    "equal" equal;
    "not_equal" not_equal;
    "less" less;
    "less_equal" less_equal;
    "greater" greater;
    "greater_equal" greater_equal;
    "logical_and" logical_and;
    "logical_or" logical_or;
    "logical_xor" logical_xor;
    }
    other {
        Builtin::new("where", "condition, x, y", |a| {
            let condition = a.tensor(0)?;
            let (x, y) = a.pair(1, 2)?;
            ok(numpy::where_(condition, x, y))
        }),
        Builtin::new("clip", "x, min, max", |a| {
            let x = a.tensor(0)?;
            ok(x.clip(a.tensor_like(1, x)?, a.tensor_like(2, x)?))
        }),
        Builtin::new("allclose", "x, y, rtol=1e-5, atol=1e-8", |a| {
            let (x, y) = a.pair(0, 1)?;
            ok(numpy::all_close(x, y, a.float(2, Some(1e-5))?, a.float(3, Some(1e-8))?))
        }),
        Builtin::new("astype", "x, dtype", |a| {
            let x = a.tensor(0)?;
            ok(x.astype(a.dtype(1, x.dtype())?))
        }),
        Builtin::new("nn.leaky_relu", "x, negative_slope=0.01", |a| ok(crate::nn::leaky_relu(a.tensor(0)?, a.float(1, Some(0.01))?))),
        Builtin::new("nn.elu", "x, alpha=1.0", |a| ok(crate::nn::elu(a.tensor(0)?, a.float(1, Some(1.0))?))),
    }
};
