// Which sanitizers this build has: gcc says so by macros, clang by features.
#pragma once

namespace lab::base {

#if defined(__has_feature)
#define LAB_HAS_SANITIZER(feature) __has_feature(feature)
#else
#define LAB_HAS_SANITIZER(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || LAB_HAS_SANITIZER(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || LAB_HAS_SANITIZER(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#undef LAB_HAS_SANITIZER

}  // namespace lab::base
