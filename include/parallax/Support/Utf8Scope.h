//===- Utf8Scope.h - Names in UTF-8 whatever the locale is -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// libarchive converts names from and to the character set of the locale and
// loses what is not in it; while this lives, the calling thread's is UTF-8.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_UTF8SCOPE_H
#define PARALLAX_SUPPORT_UTF8SCOPE_H

#include <clocale>

namespace parallax {

class Utf8Scope {
public:
  Utf8Scope()
      : locale(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
        outer(locale ? ::uselocale(locale) : nullptr) {}
  Utf8Scope(const Utf8Scope &) = delete;
  Utf8Scope &operator=(const Utf8Scope &) = delete;
  ~Utf8Scope() {
    if (!locale)
      return;
    ::uselocale(outer);
    ::freelocale(locale);
  }

private:
  locale_t locale, outer;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_UTF8SCOPE_H
