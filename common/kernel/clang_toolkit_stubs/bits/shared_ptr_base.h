// The C++ library uses __noinline__ as the name of an attribute; as CUDA's keyword it is a macro. Found
// before the library's own file of this name, so that both meanings live side by side.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
