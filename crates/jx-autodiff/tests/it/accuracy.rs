//! First and second derivatives of smooth functions against 60-digit arithmetic, far out and near
//! their singular points included.
//!
//! References: mpmath 1.4.1 at 60 digits, of the derivatives' closed forms, rounded to `f64`.

use crate::support::{f64s, func1, grad_of_sum, jvp0, run};
use jx_autodiff::grad;
use jx_ir::{Array, DType, TensorType, UnaryOp};

/// The distance of two numbers in units in the last place of the second.
fn ulps(found: f64, want: f64) -> f64 {
    if found == want {
        return 0.0;
    }
    let unit = (f64::from_bits(want.abs().to_bits() + 1) - want.abs()).max(5e-324);
    (found - want).abs() / unit
}

/// How far a first and a second derivative may be off, in units in the last place: the ops that they are
/// made of are themselves exact to one or two.
fn tolerance(op: UnaryOp, x: f64) -> (f64, f64) {
    if matches!(op, UnaryOp::Erf | UnaryOp::Erfc) {
        // e^(-x²) by way of a rounded x² is off by x² half units.
        (3.0 + x * x, 4.0 + x * x)
    } else if op == UnaryOp::Logistic {
        // σ(-x) - σ(x) cancels near 0.
        (3.0, 4.0 + 8.0 / x.abs())
    } else if matches!(op, UnaryOp::Lgamma | UnaryOp::Digamma) {
        // ψ has a zero near 1.46, and below ½ it is a difference.
        (16.0, 32.0)
    } else {
        (4.0, 8.0)
    }
}

/// Op, point, first and second derivative.
const REFERENCES: &[(UnaryOp, f64, f64, f64)] = &[
    (UnaryOp::Sqrt, 5e-324, 2.2494568972715982e+161, -f64::INFINITY),
    (UnaryOp::Sqrt, 1e-300, 5e+149, -f64::INFINITY),
    (UnaryOp::Sqrt, 1e-10, 50000.0, -250000000000000.0),
    (UnaryOp::Sqrt, 0.3, 0.9128709291752769, -1.5214515486254616),
    (UnaryOp::Sqrt, 7.0, 0.18898223650461363, -0.013498731178900972),
    (UnaryOp::Sqrt, 1e+300, 5e-151, -0.0),
    (UnaryOp::Rsqrt, 1e-200, -5e+299, f64::INFINITY),
    (UnaryOp::Rsqrt, 1e-10, -500000000000000.0, 7.499999999999999e+24),
    (UnaryOp::Rsqrt, 0.3, -3.0429030972509232, 15.214515486254616),
    (UnaryOp::Rsqrt, 7.0, -0.026997462357801944, 0.0057851705052432735),
    (UnaryOp::Rsqrt, 1e+200, -5e-301, 0.0),
    (UnaryOp::Cbrt, 1e-100, 1.5471962778709263e+66, -1.0314641852472842e+166),
    (UnaryOp::Cbrt, -1e-10, 1547196.2778709263, 1.0314641852472842e+16),
    (UnaryOp::Cbrt, 0.3, 0.7438143889801884, -1.6529208644004187),
    (UnaryOp::Cbrt, -7.0, 0.09109196108439949, 0.008675424865180904),
    (UnaryOp::Cbrt, 1e+100, 7.1814489667729456e-68, -4.787632644515297e-168),
    (UnaryOp::Exp, 1e-10, 1.0000000001, 1.0000000001),
    (UnaryOp::Exp, -1e-10, 0.9999999999, 0.9999999999),
    (UnaryOp::Exp, 0.3, 1.3498588075760032, 1.3498588075760032),
    (UnaryOp::Exp, -0.3, 0.7408182206817179, 0.7408182206817179),
    (UnaryOp::Exp, 0.49, 1.632316219955379, 1.632316219955379),
    (UnaryOp::Exp, 0.51, 1.6652911949458864, 1.6652911949458864),
    (UnaryOp::Exp, 1.7, 5.4739473917272, 5.4739473917272),
    (UnaryOp::Exp, -1.7, 0.18268352405273466, 0.18268352405273466),
    (UnaryOp::Exp, 5.0, 148.4131591025766, 148.4131591025766),
    (UnaryOp::Exp, -5.0, 0.006737946999085467, 0.006737946999085467),
    (UnaryOp::Exp, -700.0, 9.85967654375977e-305, 9.85967654375977e-305),
    (UnaryOp::Exp, 700.0, 1.0142320547350045e+304, 1.0142320547350045e+304),
    (UnaryOp::Exp2, 1e-10, 0.6931471806079906, 0.4804530139515039),
    (UnaryOp::Exp2, -1e-10, 0.6931471805119, 0.48045301388489897),
    (UnaryOp::Exp2, 0.3, 0.8533642789721566, 0.591507043960121),
    (UnaryOp::Exp2, -0.3, 0.5630104584373838, 0.3902491118916349),
    (UnaryOp::Exp2, 0.49, 0.9734870058696555, 0.6747697734302947),
    (UnaryOp::Exp2, 0.51, 0.9870763780539489, 0.6841892084454174),
    (UnaryOp::Exp2, 1.7, 2.2520418337495354, 1.5609964475665394),
    (UnaryOp::Exp2, -1.7, 0.21334106974303915, 0.14787676099003025),
    (UnaryOp::Exp2, 5.0, 22.18070977791825, 15.374496445382446),
    (UnaryOp::Exp2, -5.0, 0.02166084939249829, 0.015014156684943795),
    (UnaryOp::Exp2, -1000.0, 6.468890458846786e-302, 4.4838931829007806e-302),
    (UnaryOp::Exp2, 1000.0, 7.427131700168751e+300, 5.1480953976193634e+300),
    (UnaryOp::Expm1, 1e-10, 1.0000000001, 1.0000000001),
    (UnaryOp::Expm1, -1e-10, 0.9999999999, 0.9999999999),
    (UnaryOp::Expm1, 0.3, 1.3498588075760032, 1.3498588075760032),
    (UnaryOp::Expm1, -0.3, 0.7408182206817179, 0.7408182206817179),
    (UnaryOp::Expm1, 0.49, 1.632316219955379, 1.632316219955379),
    (UnaryOp::Expm1, 0.51, 1.6652911949458864, 1.6652911949458864),
    (UnaryOp::Expm1, 1.7, 5.4739473917272, 5.4739473917272),
    (UnaryOp::Expm1, -1.7, 0.18268352405273466, 0.18268352405273466),
    (UnaryOp::Expm1, 5.0, 148.4131591025766, 148.4131591025766),
    (UnaryOp::Expm1, -5.0, 0.006737946999085467, 0.006737946999085467),
    (UnaryOp::Expm1, -40.0, 4.248354255291589e-18, 4.248354255291589e-18),
    (UnaryOp::Expm1, -700.0, 9.85967654375977e-305, 9.85967654375977e-305),
    (UnaryOp::Expm1, 700.0, 1.0142320547350045e+304, 1.0142320547350045e+304),
    (UnaryOp::Log, 1e-300, 9.999999999999999e+299, -f64::INFINITY),
    (UnaryOp::Log, 1e-150, 1e+150, -1e+300),
    (UnaryOp::Log, 0.3, 3.3333333333333335, -11.111111111111112),
    (UnaryOp::Log, 1.0, 1.0, -1.0),
    (UnaryOp::Log, 7.0, 0.14285714285714285, -0.02040816326530612),
    (UnaryOp::Log, 1e+150, 1e-150, -1e-300),
    (UnaryOp::Log1p, -0.999999, 999999.9999712444, -999999999942.4886),
    (UnaryOp::Log1p, -0.5, 2.0, -4.0),
    (UnaryOp::Log1p, 1e-20, 1.0, -1.0),
    (UnaryOp::Log1p, -1e-10, 1.0000000001, -1.0000000002),
    (UnaryOp::Log1p, 0.3, 0.7692307692307693, -0.591715976331361),
    (UnaryOp::Log1p, 7.0, 0.125, -0.015625),
    (UnaryOp::Log1p, 1e+100, 1e-100, -1e-200),
    (UnaryOp::Sin, 1e-10, 1.0, -1e-10),
    (UnaryOp::Sin, -1e-10, 1.0, 1e-10),
    (UnaryOp::Sin, 0.3, 0.955336489125606, -0.29552020666133955),
    (UnaryOp::Sin, -0.3, 0.955336489125606, 0.29552020666133955),
    (UnaryOp::Sin, 0.49, 0.8823328586101215, -0.470625888171158),
    (UnaryOp::Sin, 0.51, 0.8727445076457513, -0.4881772468829075),
    (UnaryOp::Sin, 1.7, -0.12884449429552464, -0.9916648104524686),
    (UnaryOp::Sin, -1.7, -0.12884449429552464, 0.9916648104524686),
    (UnaryOp::Sin, 5.0, 0.28366218546322625, 0.9589242746631385),
    (UnaryOp::Sin, -5.0, 0.28366218546322625, -0.9589242746631385),
    (UnaryOp::Sin, 100.0, 0.8623188722876839, 0.5063656411097588),
    (UnaryOp::Cos, 1e-10, -1e-10, -1.0),
    (UnaryOp::Cos, -1e-10, 1e-10, -1.0),
    (UnaryOp::Cos, 0.3, -0.29552020666133955, -0.955336489125606),
    (UnaryOp::Cos, -0.3, 0.29552020666133955, -0.955336489125606),
    (UnaryOp::Cos, 0.49, -0.470625888171158, -0.8823328586101215),
    (UnaryOp::Cos, 0.51, -0.4881772468829075, -0.8727445076457513),
    (UnaryOp::Cos, 1.7, -0.9916648104524686, 0.12884449429552464),
    (UnaryOp::Cos, -1.7, 0.9916648104524686, 0.12884449429552464),
    (UnaryOp::Cos, 5.0, 0.9589242746631385, -0.28366218546322625),
    (UnaryOp::Cos, -5.0, -0.9589242746631385, -0.28366218546322625),
    (UnaryOp::Cos, 100.0, 0.5063656411097588, -0.8623188722876839),
    (UnaryOp::Tan, 1e-10, 1.0, 2e-10),
    (UnaryOp::Tan, -1e-10, 1.0, -2e-10),
    (UnaryOp::Tan, 0.3, 1.095688915322547, 0.6778725996094255),
    (UnaryOp::Tan, -0.3, 1.095688915322547, -0.6778725996094255),
    (UnaryOp::Tan, 1.0, 3.4255188208147596, 10.669858944975317),
    (UnaryOp::Tan, 1.5696, 698715.7728548466, 1168101295.5690992),
    (UnaryOp::Asin, 1e-10, 1.0, 1e-10),
    (UnaryOp::Asin, -1e-10, 1.0, -1e-10),
    (UnaryOp::Asin, 0.3, 1.0482848367219182, 0.3455884077105225),
    (UnaryOp::Asin, 0.49, 1.1471541425028298, 0.7397098694912312),
    (UnaryOp::Asin, 0.51, 1.1625549411016562, 0.8013285848923433),
    (UnaryOp::Asin, -0.9, 2.294157338705618, -10.867061078079246),
    (UnaryOp::Asin, 0.999999999999, 707114.6025256454, 3.535651227313357e+17),
    (UnaryOp::Acos, 1e-10, -1.0, -1e-10),
    (UnaryOp::Acos, -1e-10, -1.0, 1e-10),
    (UnaryOp::Acos, 0.3, -1.0482848367219182, -0.3455884077105225),
    (UnaryOp::Acos, 0.49, -1.1471541425028298, -0.7397098694912312),
    (UnaryOp::Acos, 0.51, -1.1625549411016562, -0.8013285848923433),
    (UnaryOp::Acos, -0.9, -2.294157338705618, 10.867061078079246),
    (UnaryOp::Acos, 0.999999999999, -707114.6025256454, -3.535651227313357e+17),
    (UnaryOp::Atan, 1e-10, 1.0, -2e-10),
    (UnaryOp::Atan, -1e-10, 1.0, 2e-10),
    (UnaryOp::Atan, 0.3, 0.9174311926605505, -0.5050079959599361),
    (UnaryOp::Atan, -0.3, 0.9174311926605505, 0.5050079959599361),
    (UnaryOp::Atan, 0.49, 0.8063865817272801, -0.6372541328060112),
    (UnaryOp::Atan, 0.51, 0.7935878104912308, -0.642377245219471),
    (UnaryOp::Atan, 1.7, 0.2570694087403599, -0.22468791509440197),
    (UnaryOp::Atan, -1.7, 0.2570694087403599, 0.22468791509440197),
    (UnaryOp::Atan, 5.0, 0.038461538461538464, -0.014792899408284023),
    (UnaryOp::Atan, -5.0, 0.038461538461538464, 0.014792899408284023),
    (UnaryOp::Atan, 100000.0, 9.999999999e-11, -1.9999999996e-15),
    (UnaryOp::Atan, -1000000000.0, 1e-18, 2e-27),
    (UnaryOp::Atan, 1e+30, 1e-60, -2e-90),
    (UnaryOp::Atan, 1e+100, 1e-200, -2e-300),
    (UnaryOp::Sinh, 1e-10, 1.0, 1e-10),
    (UnaryOp::Sinh, -1e-10, 1.0, -1e-10),
    (UnaryOp::Sinh, 0.3, 1.0453385141288605, 0.3045202934471426),
    (UnaryOp::Sinh, -0.3, 1.0453385141288605, -0.3045202934471426),
    (UnaryOp::Sinh, 0.49, 1.1224713070698975, 0.5098449128854814),
    (UnaryOp::Sinh, 0.51, 1.132893386879076, 0.5323978080668101),
    (UnaryOp::Sinh, 1.7, 2.828315457889967, 2.6456319338372323),
    (UnaryOp::Sinh, -1.7, 2.828315457889967, -2.6456319338372323),
    (UnaryOp::Sinh, 5.0, 74.20994852478785, 74.20321057778875),
    (UnaryOp::Sinh, -5.0, 74.20994852478785, -74.20321057778875),
    (UnaryOp::Sinh, 20.0, 242582597.70489514, 242582597.70489514),
    (UnaryOp::Sinh, -700.0, 5.0711602736750225e+303, -5.0711602736750225e+303),
    (UnaryOp::Cosh, 1e-10, 1e-10, 1.0),
    (UnaryOp::Cosh, -1e-10, -1e-10, 1.0),
    (UnaryOp::Cosh, 0.3, 0.3045202934471426, 1.0453385141288605),
    (UnaryOp::Cosh, -0.3, -0.3045202934471426, 1.0453385141288605),
    (UnaryOp::Cosh, 0.49, 0.5098449128854814, 1.1224713070698975),
    (UnaryOp::Cosh, 0.51, 0.5323978080668101, 1.132893386879076),
    (UnaryOp::Cosh, 1.7, 2.6456319338372323, 2.828315457889967),
    (UnaryOp::Cosh, -1.7, -2.6456319338372323, 2.828315457889967),
    (UnaryOp::Cosh, 5.0, 74.20321057778875, 74.20994852478785),
    (UnaryOp::Cosh, -5.0, -74.20321057778875, 74.20994852478785),
    (UnaryOp::Cosh, 20.0, 242582597.70489514, 242582597.70489514),
    (UnaryOp::Cosh, -700.0, -5.0711602736750225e+303, 5.0711602736750225e+303),
    (UnaryOp::Tanh, 1e-10, 1.0, -2e-10),
    (UnaryOp::Tanh, -1e-10, 1.0, 2e-10),
    (UnaryOp::Tanh, 0.3, 0.9151369618266292, -0.5331818782014544),
    (UnaryOp::Tanh, -0.3, 0.9151369618266292, 0.5331818782014544),
    (UnaryOp::Tanh, 0.49, 0.7936874322814028, -0.7210117483112017),
    (UnaryOp::Tanh, 0.51, 0.7791515099997877, -0.7323170227316538),
    (UnaryOp::Tanh, 1.7, 0.1250098706334466, -0.23387073381089182),
    (UnaryOp::Tanh, -1.7, 0.1250098706334466, 0.23387073381089182),
    (UnaryOp::Tanh, 5.0, 0.0001815832309438067, -0.0003631334879209056),
    (UnaryOp::Tanh, -5.0, 0.0001815832309438067, 0.0003631334879209056),
    (UnaryOp::Tanh, 20.0, 1.6993417021166355e-17, -3.398683404233271e-17),
    (UnaryOp::Tanh, -20.0, 1.6993417021166355e-17, 3.398683404233271e-17),
    (UnaryOp::Tanh, 0.54, 0.7569628647133293, -0.7463471670475057),
    (UnaryOp::Tanh, 0.56, 0.7419589276664634, -0.7537967827833718),
    (UnaryOp::Tanh, 40.0, 7.219405551381661e-35, -1.4438811102763322e-34),
    (UnaryOp::Tanh, -350.0, 3.943870617503908e-304, 7.887741235007817e-304),
    (UnaryOp::Tanh, 800.0, 0.0, -0.0),
    (UnaryOp::Asinh, 1e-10, 1.0, -1e-10),
    (UnaryOp::Asinh, -1e-10, 1.0, 1e-10),
    (UnaryOp::Asinh, 0.3, 0.9578262852211514, -0.2636219133636196),
    (UnaryOp::Asinh, -0.3, 0.9578262852211514, 0.2636219133636196),
    (UnaryOp::Asinh, 0.49, 0.897990301577517, -0.3548223915595382),
    (UnaryOp::Asinh, 0.51, 0.8908354564627695, -0.36054764129514516),
    (UnaryOp::Asinh, 1.7, 0.5070201265633938, -0.22157691906369398),
    (UnaryOp::Asinh, -1.7, 0.5070201265633938, 0.22157691906369398),
    (UnaryOp::Asinh, 5.0, 0.19611613513818404, -0.037714641372727696),
    (UnaryOp::Asinh, -5.0, 0.19611613513818404, 0.037714641372727696),
    (UnaryOp::Asinh, 100000.0, 9.9999999995e-06, -9.9999999985e-11),
    (UnaryOp::Asinh, -1000000000.0, 1e-09, 1e-18),
    (UnaryOp::Asinh, 1e+100, 1e-100, -1e-200),
    (UnaryOp::Asinh, 1e+200, 1e-200, -0.0),
    (UnaryOp::Acosh, 1.0000000001, 70710.67519157329, -353553346722409.06),
    (UnaryOp::Acosh, 1.5, 0.8944271909999159, -1.0733126291998991),
    (UnaryOp::Acosh, 7.0, 0.14433756729740643, -0.021049228564205106),
    (UnaryOp::Acosh, 10000000000.0, 1e-10, -1e-20),
    (UnaryOp::Acosh, 1e+100, 1e-100, -1e-200),
    (UnaryOp::Atanh, 1e-10, 1.0, 2e-10),
    (UnaryOp::Atanh, -1e-10, 1.0, -2e-10),
    (UnaryOp::Atanh, 0.3, 1.098901098901099, 0.7245501750996256),
    (UnaryOp::Atanh, 0.49, 1.3159626266614028, 1.697122482074187),
    (UnaryOp::Atanh, 0.51, 1.3515339910798756, 1.8631770116251833),
    (UnaryOp::Atanh, -0.9, 5.263157894736843, -49.86149584487537),
    (UnaryOp::Atanh, 0.999999999999, 500011061105.0014, 5.0002212245419894e+23),
    (UnaryOp::Logistic, 0.3, 0.24445831169074586, -0.03639618395557624),
    (UnaryOp::Logistic, -0.3, 0.24445831169074586, 0.03639618395557624),
    (UnaryOp::Logistic, 1.7, 0.13060574696620805, -0.09025764431307129),
    (UnaryOp::Logistic, -1.7, 0.13060574696620805, 0.09025764431307129),
    (UnaryOp::Logistic, 5.0, 0.006648056670790155, -0.006559067766322563),
    (UnaryOp::Logistic, -5.0, 0.006648056670790155, 0.006559067766322563),
    (UnaryOp::Logistic, 40.0, 4.248354255291589e-18, -4.248354255291589e-18),
    (UnaryOp::Logistic, -40.0, 4.248354255291589e-18, 4.248354255291589e-18),
    (UnaryOp::Logistic, 700.0, 9.85967654375977e-305, -9.85967654375977e-305),
    (UnaryOp::Logistic, -700.0, 9.85967654375977e-305, 9.85967654375977e-305),
    (UnaryOp::Logistic, 800.0, 0.0, -0.0),
    (UnaryOp::Erf, 0.001, 1.1283780387169096, -0.0022567560774338193),
    (UnaryOp::Erf, 0.3, 1.031260909618963, -0.6187565457713778),
    (UnaryOp::Erf, -0.3, 1.031260909618963, 0.6187565457713778),
    (UnaryOp::Erf, 1.7, 0.06271104049686839, -0.21321753768935253),
    (UnaryOp::Erf, -2.5, 0.0021782842303527095, 0.010891421151763548),
    (UnaryOp::Erf, 5.0, 1.5670866531017336e-11, -1.5670866531017336e-10),
    (UnaryOp::Erf, -10.0, 4.197656231354417e-44, 8.395312462708834e-43),
    (UnaryOp::Erfc, 0.001, -1.1283780387169096, 0.0022567560774338193),
    (UnaryOp::Erfc, 0.3, -1.031260909618963, 0.6187565457713778),
    (UnaryOp::Erfc, -0.3, -1.031260909618963, -0.6187565457713778),
    (UnaryOp::Erfc, 1.7, -0.06271104049686839, 0.21321753768935253),
    (UnaryOp::Erfc, -2.5, -0.0021782842303527095, -0.010891421151763548),
    (UnaryOp::Erfc, 5.0, -1.5670866531017336e-11, 1.5670866531017336e-10),
    (UnaryOp::Erfc, -10.0, -4.197656231354417e-44, -8.395312462708834e-43),
    (UnaryOp::Lgamma, 1e-05, -100000.57719921567, 10000000001.644909),
    (UnaryOp::Lgamma, 0.3, -3.502524222200133, 12.245364546107732),
    (UnaryOp::Lgamma, 0.7, -1.2200235536979347, 2.834049156694611),
    (UnaryOp::Lgamma, 1.2, -0.2890398965921884, 1.2673772054237793),
    (UnaryOp::Lgamma, 2.0, 0.42278433509846713, 0.6449340668482264),
    (UnaryOp::Lgamma, 3.7, 1.1671535393615113, 0.3100378576700383),
    (UnaryOp::Lgamma, 10.0, 2.251752589066721, 0.10516633568168575),
    (UnaryOp::Lgamma, 50.0, 3.901989673427892, 0.020201333226697125),
    (UnaryOp::Lgamma, 100000.0, 11.512920464961896, 1.0000050000166667e-05),
    (UnaryOp::Lgamma, -0.3, 2.113309779635399, 13.945160267805722),
    (UnaryOp::Lgamma, -2.7, -1.1153471291406896, 14.769375845132314),
    (UnaryOp::Digamma, 1e-05, 10000000001.644909, -2000000000000002.0),
    (UnaryOp::Digamma, 0.3, 12.245364546107732, -75.27253658872604),
    (UnaryOp::Digamma, 0.7, 2.834049156694611, -6.4349928741909235),
    (UnaryOp::Digamma, 1.2, 1.2673772054237793, -1.4780361144359333),
    (UnaryOp::Digamma, 2.0, 0.6449340668482264, -0.4041138063191886),
    (UnaryOp::Digamma, 3.7, 0.3100378576700383, -0.09539530872855403),
    (UnaryOp::Digamma, 10.0, 0.10516633568168575, -0.011049834970802067),
    (UnaryOp::Digamma, 50.0, 0.020201333226697125, -0.0004080799893375969),
    (UnaryOp::Digamma, 100000.0, 1.0000050000166667e-05, -1.00001000005e-10),
    (UnaryOp::Digamma, -0.3, 13.945160267805722, 67.63908119988317),
    (UnaryOp::Digamma, -2.7, 14.769375845132314, -68.9329390232638),
];

#[test]
fn derivatives_agree_with_exact_ones_to_a_few_units_in_the_last_place() {
    let mut failures = Vec::new();
    for &(op, x, first, second) in REFERENCES {
        let func = func1(&[], |b, x| b.unary(op, x));
        let point = [f64s(&[], &[x])];
        let reverse = grad_of_sum(&func, &point)[0];
        let forward = jvp0(&func, &point, &f64s(&[], &[1.0]))[0];
        let gradient = grad(&func, &[0], false).unwrap();
        let twice = [grad_of_sum(&gradient, &point)[0], jvp0(&gradient, &point, &f64s(&[], &[1.0]))[0]];
        let (first_ulps, second_ulps) = tolerance(op, x);
        for (what, found, want, limit) in [
            ("reverse", reverse, first, first_ulps),
            ("forward", forward, first, first_ulps),
            ("reverse twice", twice[0], second, second_ulps),
            ("forward over reverse", twice[1], second, second_ulps),
        ] {
            let error = ulps(found, want);
            if error.is_nan() || error > limit {
                failures.push(format!("{} at {x}, {what}: {found:e}, not {want:e}: {error} ulps", op.name()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn b1_expm1_has_a_derivative_far_below_zero() {
    let func = func1(&[], |b, x| b.unary(UnaryOp::Expm1, x));
    let got = grad_of_sum(&func, &[f64s(&[], &[-40.0])])[0];
    assert!(ulps(got, 4.248354255291589e-18) <= 2.0, "{got:e}");
}

#[test]
fn b3_tanh_has_a_derivative_where_it_is_one() {
    let func = func1(&[2], |b, x| b.unary(UnaryOp::Tanh, x));
    for got in grad_of_sum(&func, &[f64s(&[2], &[20.0, -20.0])]) {
        assert!(ulps(got, 1.6993417021166355e-17) <= 2.0, "{got:e}");
    }
    let mut b = jx_ir::Builder::new();
    let x = b.input(TensorType::scalar(DType::F32));
    let y = b.tanh(x);
    let gradient = grad(&b.finish(&[y]), &[0], false).unwrap();
    let got = run(&gradient, &[Array::scalar(-9.010_914_f32)])[0].to_f64_vec()[0];
    assert!((got / 5.96046e-8 - 1.0).abs() < 1e-5, "{got:e}");
}

#[test]
fn b8_the_square_root_of_the_least_subnormal_has_a_finite_derivative() {
    let func = func1(&[], |b, x| b.sqrt(x));
    let got = grad_of_sum(&func, &[f64s(&[], &[5e-324])])[0];
    assert!(ulps(got, 2.2494568972715982e161) <= 2.0, "{got:e}");
}

#[test]
fn b6_smooth_functions_have_second_derivatives_at_zero() {
    for (op, want) in [
        (UnaryOp::Cosh, 1.0),
        (UnaryOp::Cos, -1.0),
        (UnaryOp::Exp, 1.0),
        (UnaryOp::Tanh, 0.0),
        (UnaryOp::Asinh, 0.0),
        (UnaryOp::Atan, 0.0),
        (UnaryOp::Logistic, 0.0),
        (UnaryOp::Erf, 0.0),
    ] {
        let func = func1(&[], |b, x| b.unary(op, x));
        let gradient = grad(&func, &[0], false).unwrap();
        assert_eq!(grad_of_sum(&gradient, &[f64s(&[], &[0.0])]), [want], "{}", op.name());
    }
    // tanh''' = -2 at 0
    let mut third = func1(&[], |b, x| b.tanh(x));
    for _ in 0..3 {
        third = grad(&third, &[0], false).unwrap();
    }
    assert_eq!(run(&third, &[f64s(&[], &[0.0])])[0].to_f64_vec(), [-2.0]);
}

#[test]
fn b9_softplus_has_slope_one_half_at_zero() {
    // ln(1 + eˣ)
    let func = func1(&[], |b, x| {
        let e = b.exp(x);
        b.log1p(e)
    });
    assert_eq!(grad_of_sum(&func, &[f64s(&[], &[0.0])]), [0.5]);
    assert_eq!(grad_of_sum(&grad(&func, &[0], false).unwrap(), &[f64s(&[], &[0.0])]), [0.25]);
}
