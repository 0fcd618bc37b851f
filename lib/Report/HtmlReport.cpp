//===- HtmlReport.cpp - One page to look at -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files go into the page as they are, so what it shows is what they say.
//===----------------------------------------------------------------------===//
#include "parallax/Report/HtmlReport.h"
#include "ReportPage.h"

#include "parallax/Support/Encoding.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <fmt/format.h>

namespace parallax {
namespace {

/// Where the page has room for its data.
constexpr std::string_view mark = "<!--data-->";

/// Packed text has no character that means something in HTML, and the names are
/// ours.
std::string elementOf(size_t build, const ReportedFile &file) {
  std::string packed = gzipOf(file.text);
  return fmt::format("<script type=\"application/gzip\" data-build=\"{}\" "
                     "data-name=\"{}\">{}</script>\n",
                     build, file.name,
                     base64Of(std::as_bytes(std::span(packed))));
}

} // namespace

bool hasReportPage() { return !reportPage().empty(); }

std::string whyNoReportPage() {
  return "this program was built without the page of reports, because its "
         "packages could not be fetched from npm; build it again where npm "
         "and its registry can be reached";
}

std::string htmlReport(std::span<const ReportedBuild> builds) {
  std::string_view page = reportPage();
  if (page.empty())
    throw Error(whyNoReportPage());
  size_t at = page.find(mark);
  if (at == std::string_view::npos)
    throw Error("the page of reports has no room for its data");
  std::string text(page.substr(0, at));
  struct Element {
    size_t build;
    const ReportedFile *file;
    std::string text;
  };
  std::vector<Element> elements;
  for (size_t i = 0; i < builds.size(); ++i)
    for (const ReportedFile &file : builds[i])
      elements.push_back({i, &file, ""});
  parallelFor(std::ssize(elements), 1, [&](int64_t begin, int64_t end) {
    for (Element &each :
         std::span(elements).subspan(size_t(begin), size_t(end - begin)))
      each.text = elementOf(each.build, *each.file);
  });
  for (const Element &element : elements)
    text += element.text;
  return text.append(page.substr(at + mark.size()));
}

} // namespace parallax
