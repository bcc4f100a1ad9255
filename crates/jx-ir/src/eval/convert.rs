//! The meaning of conversion between dtypes.

use super::value::{Value, Wide, any};
use super::{array, elements};
use crate::{Array, DType};

pub(super) fn convert(dtype: DType, x: &Array) -> Array {
    if x.dtype() == dtype {
        return x.clone();
    }
    let wide: Vec<Wide> = any!(x.dtype(), T => elements::<T>(x).iter().map(|&v| v.widen()).collect());
    any!(dtype, T => array(x.shape(), wide.into_iter().map(<T as Value>::narrow).collect()))
}
