// Names of kernels for people: symbols that are none stay as they are, long names lose what no reader needs.
#include <doctest/doctest.h>

#include <string>

#include "common/sim/base/kernel_name.h"

using namespace lab::sim;

TEST_CASE("kernel names: a mangled symbol is shown as C++ writes it, any other as it is") {
  CHECK(demangled("_Z9transposePfPKfii") == "transpose(float*, float const*, int, int)");
  CHECK(demangled("g") == "g");
  CHECK(demangled("_Zbroken") == "_Zbroken");
  CHECK(demangled("__nv_static_12__1234_my_cu__Z1kPf") == "k(float*)");
  CHECK(demangled("").empty());
}

TEST_CASE("kernel names: the short name has no parameters, and no arguments of templates where it is long") {
  CHECK(short_kernel_name("transpose(float*, float const*)") == "transpose");
  CHECK(short_kernel_name("void turn<32>(float*)") == "turn<32>");
  CHECK(short_kernel_name("extern_c_kernel") == "extern_c_kernel");
  CHECK(short_kernel_name("m::k[abi:v1][abi:cw51c](Array<float>)") == "m::k");
  CHECK(short_kernel_name("k[abi:v1(int)") == "k[abi:v1");
  CHECK(short_kernel_name(
            "void a::run<b::Long<c::Layout<d::Tuple<1, 2>>, e::Swizzle<3, 4, 3>>>(f::Tensor<float*>)") ==
        "a::run<…>");
  CHECK(short_kernel_name(")").size() <= 1);
}

TEST_CASE("kernel names: a message has the whole name as long as it is no longer than a line") {
  const std::string whole = "void turn<32, 8>(float*, float const*, int, int)";
  CHECK(kernel_name_for_message(whole) == whole);
  CHECK(kernel_name_for_message("void turn<" + std::string(2000, 'x') + ">(float*)") == "turn<…>");
}

TEST_CASE("kernel names: a variable is shown by its own name, without what it lies in") {
  CHECK(short_name("_ZZ9transposeE4tile") == "tile");
  CHECK(short_name("_ZZ6kernelPfN2ns1TEE4tile") == "tile");
  CHECK(short_name("transpose::tile") == "tile");
  CHECK(short_name("_ZN2ns4dataE") == "data");
  CHECK(short_name("_ZN2ns5tableINS_1AEEE") == "table<ns::A>");
  CHECK(short_name("_ZN12_GLOBAL__N_14rowsE") == "rows");
  CHECK(short_name("data@m1") == "data");
  CHECK(short_name("tile") == "tile");
  CHECK(short_name("").empty());
}
