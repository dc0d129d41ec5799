// SPDX-License-Identifier: Apache-2.0
#include "monitor/completions.h"

namespace conclave::monitor {
namespace {

// What an option's argument is.
enum class Argument { kNone, kChoice, kFile, kText };

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class Writer {
 public:
  Writer(const CLI::App& app, const Choices& choices) : app_(app), choices_(choices) {}
  virtual ~Writer() = default;

  virtual std::string text() = 0;

 protected:
  Argument argument_of(const CLI::Option& option) const {
    if (option.get_items_expected_max() == 0) return Argument::kNone;
    if (choices_.contains(&option)) return Argument::kChoice;
    return option.get_type_name() == "FILE" ? Argument::kFile : Argument::kText;
  }
  std::string choices_of(const CLI::Option& option) const { return joined(choices_.at(&option)); }

  const CLI::App& app_;
  const Choices& choices_;
};

class Zsh : public Writer {
 public:
  using Writer::Writer;

  std::string text() override {
    const std::string function = "_" + app_.get_name();
    std::string text = "#compdef " + app_.get_name() + "\n" + function +
                       "() {\n  local state\n  _arguments -C" + options(app_, " ") +
                       " '1: :->command' '*:: :->arguments'\n  case $state in\n" +
                       "    command)\n      local -a commands=(";
    for (const CLI::App* command : commands_of(app_))
      text += "\n        " + quoted(command->get_name() + ":" + command->get_description());
    text += ")\n      _describe command commands ;;\n    arguments)\n      case $words[1] in\n";
    for (const CLI::App* command : commands_of(app_)) {
      text +=
          "        " + command->get_name() + ") _arguments" + options(*command, " \\\n          ");
      std::vector<std::string> names;
      for (const CLI::App* part : commands_of(*command)) names.push_back(part->get_name());
      if (!names.empty()) text += " '1: :(" + joined(names) + ")'";
      text += positional(*command) + " ;;\n";
    }
    return text + "      esac ;;\n  esac\n}\n" + function + " \"$@\"\n";
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  }
  std::string options(const CLI::App& command, const std::string& separator) const {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
      if (!option->nonpositional()) continue;
      std::vector<std::string> names;
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      const std::string what = "[" + escaped(option->get_description()) + "]" + argument(*option);
      const std::string exclusive = quoted("(" + joined(names) + ")");
      for (const std::string& name : names)
        text += separator + (names.size() > 1 ? exclusive : "") + quoted(name + what);
    }
    return text;
  }
  std::string argument(const CLI::Option& option) const {
    switch (argument_of(option)) {
      case Argument::kNone:
        return "";
      case Argument::kChoice:
        return ": :(" + choices_of(option) + ")";
      case Argument::kFile:
        return ": :_files";
      case Argument::kText:
        break;
    }
    return ": : ";
  }
  // Another program, with its own arguments.
  static std::string positional(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options())
      if (!option->nonpositional()) return " '*:: :_normal'";
    return "";
  }
};

class Fish : public Writer {
 public:
  using Writer::Writer;

  std::string text() override {
    text_ = line("", "-f") + options(app_, "__fish_use_subcommand");
    for (const CLI::App* command : commands_of(app_))
      text_ += line("__fish_use_subcommand",
                    "-a " + command->get_name() + " -d " + quoted(command->get_description()));
    for (const CLI::App* command : commands_of(app_)) {
      const std::string here = "__fish_seen_subcommand_from " + command->get_name();
      text_ += options(*command, here);
      for (const CLI::App* part : commands_of(*command))
        text_ += line(here, "-a " + part->get_name() + " -d " + quoted(part->get_description()));
      for (const CLI::Option* option : command->get_options())
        if (!option->nonpositional())
          text_ += line(here, "-a '(__fish_complete_subcommand --fcs-skip=2)'");
    }
    return text_;
  }

 private:
  std::string line(const std::string& condition, const std::string& rest) const {
    return "complete -c " + app_.get_name() +
           (condition.empty() ? "" : " -n " + quoted(condition)) + " " + rest + "\n";
  }
  std::string options(const CLI::App& command, const std::string& condition) const {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
      if (!option->nonpositional()) continue;
      std::string words;
      for (const std::string& name : option->get_snames()) words += "-s " + name + " ";
      for (const std::string& name : option->get_lnames()) words += "-l " + name + " ";
      switch (argument_of(*option)) {
        case Argument::kNone:
          break;
        case Argument::kChoice:
          words += "-x -a " + quoted(choices_of(*option)) + " ";
          break;
        case Argument::kFile:
          words += "-r -F ";
          break;
        case Argument::kText:
          words += "-x ";
          break;
      }
      text += line(condition, words + "-d " + quoted(option->get_description()));
    }
    return text;
  }

  std::string text_;
};

}  // namespace

std::string completions(const CLI::App& app, const Choices& choices, const std::string& shell) {
  if (shell == "fish") return Fish(app, choices).text();
  return Zsh(app, choices).text();
}

}  // namespace conclave::monitor
