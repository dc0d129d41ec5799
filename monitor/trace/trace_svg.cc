// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace/trace_svg.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "monitor/colors.h"

namespace conclave::monitor {
namespace {

constexpr double kWidth = 1200, kLeft = 130, kRight = 20, kTop = 50;
constexpr double kRow = 22, kGap = 4, kGuestRow = 7;
// What is narrower than this joins its neighbour of the same process.
constexpr double kLeastPixels = 0.4;
constexpr size_t kMostProcesses = 32;  // with a row and a line of the legend
constexpr const char* kInk = "#222222";
constexpr const char* kPaper = "#ffffff";
constexpr const char* kIdle = "#f0f0f0";
constexpr const char* kWait = "#999999";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

// A step of the time axis: 1, 2 or 5 of a power of ten, at most ten of them.
uint64_t step_for(uint64_t span) {
  uint64_t step = 1;
  for (;;) {
    for (const uint64_t factor : {1, 2, 5})
      if (span / (step * factor) <= 10) return step * factor;
    step *= 10;
  }
}

std::string time_text(uint64_t ns) {
  char text[32];
  if (ns >= 1'000'000'000)
    snprintf(text, sizeof text, "%.3g s", static_cast<double>(ns) / 1e9);
  else if (ns >= 1'000'000)
    snprintf(text, sizeof text, "%.3g ms", static_cast<double>(ns) / 1e6);
  else
    snprintf(text, sizeof text, "%.3g us", static_cast<double>(ns) / 1e3);
  return text;
}

class Picture {
 public:
  Picture(const Timeline& timeline, FILE* file)
      : timeline_(timeline),
        file_(file),
        span_(std::max<uint64_t>(timeline.end_ns - timeline.begin_ns, 1)),
        shown_(std::min(timeline.processes.size(), kMostProcesses)) {}

  void draw() {
    const double units = static_cast<double>(timeline_.units.size());
    const double processes = static_cast<double>(shown_);
    const double height = kTop + (units + processes) * (kRow + kGap) + 40 + processes * 18 + 30;
    fprintf(file_,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"12\">\n",
            kWidth, height, kWidth, height);
    rectangle(0, 0, kWidth, height, kPaper, "");
    text(kLeft, 20, "Who ran on which compute unit, and who waited", "start", 14);
    double y = kTop;
    for (const auto& [number, unit] : timeline_.units) {
      draw_unit(number, unit, y);
      y += kRow + kGap;
    }
    y += 10;
    for (size_t i = 0; i < shown_; ++i) {
      draw_process(i, y);
      y += kRow + kGap;
    }
    draw_axis(kTop - 6, y);
    draw_legend(y + 16);
    fputs("</svg>\n", file_);
  }

 private:
  double x_of(uint64_t ns) const {
    const uint64_t at = std::clamp(ns, timeline_.begin_ns, timeline_.end_ns) - timeline_.begin_ns;
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(at) / static_cast<double>(span_);
  }
  static const char* color_of(size_t process) {
    return kProcessColors[process % kProcessColors.size()].hex;
  }

  void rectangle(double x, double y, double width, double height, const char* color,
                 const std::string& title) {
    fprintf(file_, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\">", x, y,
            width, height, color);
    if (!title.empty()) fprintf(file_, "<title>%s</title>", escaped(title).c_str());
    fputs("</rect>\n", file_);
  }
  void text(double x, double y, const std::string& what, const char* anchor, int size) {
    fprintf(
        file_,
        "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
        x, y, anchor, size, kInk, escaped(what).c_str());
  }

  // Draws slices in one row; neighbours that the eye cannot tell apart are one.
  void draw_lane(const Lane& lane, double y, double height,
                 const std::function<const char*(const Slice&)>& color) {
    for (size_t i = 0; i < lane.size();) {
      const double x = x_of(lane[i].record.begin_ns);
      double end = x_of(lane[i].record.end_ns);
      const std::string title = title_of(lane[i]);
      size_t next = i + 1;
      for (; next < lane.size() && x_of(lane[next].record.begin_ns) - end < kLeastPixels; ++next) {
        const bool same = lane[next].process == lane[i].process && title_of(lane[next]) == title;
        if (!same && end - x >= kLeastPixels) break;
        end = std::max(end, x_of(lane[next].record.end_ns));
      }
      rectangle(x, y, std::max(end - x, kLeastPixels), height, color(lane[i]),
                label_of(lane[i].process) + ": " + title);
      i = next;
    }
  }

  void draw_unit(uint32_t number, const UnitLanes& unit, double y) {
    text(kLeft - 8, y + 15, "CU " + std::to_string(number), "end", 12);
    rectangle(kLeft, y, kWidth - kLeft - kRight, kRow, kIdle, "");
    const auto color = [](const Slice& slice) { return color_of(slice.process); };
    draw_lane(unit.runs, y, kRow, color);
    // Guests run beside the holder: a strip on top.
    for (const Lane& guests : unit.guests) draw_lane(guests, y, kGuestRow, color);
  }

  void draw_process(size_t index, double y) {
    const ProcessLanes& process = timeline_.processes[index];
    text(kLeft - 8, y + 15, label_of(static_cast<uint32_t>(index)), "end", 11);
    rectangle(kLeft, y, kWidth - kLeft - kRight, kRow, kIdle, "");
    const auto upper = [&](const Slice&) { return color_of(index); };
    for (const Lane& commands : process.commands) draw_lane(commands, y, kRow / 2, upper);
    for (const Lane& builds : process.builds)
      draw_lane(builds, y, kRow / 2, [](const Slice&) { return kInk; });
    for (const Lane& waits : process.waits)
      draw_lane(waits, y + kRow / 2, kRow / 2, [](const Slice&) { return kWait; });
  }

  void draw_axis(double top, double bottom) {
    const uint64_t step = step_for(span_);
    for (uint64_t at = 0; at <= span_; at += step) {
      const double x = x_of(timeline_.begin_ns + at);
      fprintf(file_,
              "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
              "stroke-opacity=\"0.2\"/>\n",
              x, top, x, bottom, kInk);
      text(x, top - 2, time_text(at), "middle", 10);
    }
  }

  void draw_legend(double y) {
    for (size_t i = 0; i < shown_; ++i, y += 18) {
      rectangle(kLeft, y, 14, 12, color_of(i), "");
      text(kLeft + 20, y + 11,
           label_of(static_cast<uint32_t>(i)) + ": " + timeline_.processes[i].command, "start", 12);
    }
    if (timeline_.processes.size() > shown_)
      text(kLeft + 300, y + 11,
           "and " + std::to_string(timeline_.processes.size() - shown_) + " more processes",
           "start", 12);
    rectangle(kLeft, y, 14, 12, kWait, "");
    text(kLeft + 20, y + 11, "waits", "start", 12);
    rectangle(kLeft + 80, y, 14, 12, kInk, "");
    text(kLeft + 100, y + 11, "builds a program", "start", 12);
  }

  std::string label_of(uint32_t process) const {
    return timeline_.processes[process].name + " " +
           std::to_string(timeline_.processes[process].pid);
  }

  const Timeline& timeline_;
  FILE* file_;
  const uint64_t span_;
  const size_t shown_;
};

}  // namespace

void write_trace_svg(const Timeline& timeline, FILE* file) {
  Picture(timeline, file).draw();
}

}  // namespace conclave::monitor
