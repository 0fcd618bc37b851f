//===- Field.h - How a field of a configuration is described ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A message (an object of the configuration) is a list of fields, and a field
// binds a name and a sentence to a member of a plain struct. The type of the
// member says how values are read and written. The reader, the writer, the
// flags, the page and the schema all walk this description, so a field is added
// in one line.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_FIELD_H
#define PARALLAX_LIB_CONFIG_FIELD_H

#include "Findings.h"

#include "parallax/Config/BuildConfig.h"

#include <functional>
#include <optional>

namespace parallax::config {

class Type;
struct Message;

/// Which numbers a field takes; those of a list are limited one by one.
struct Limits {
  std::optional<double> lowest, highest;
  bool lowestExcluded = false, highestExcluded = false;
  /// One value that is allowed beside the range, such as -1 for "all".
  std::optional<double> special;

  bool contain(double value) const;
  /// "between 0 and 1"; empty if everything is allowed.
  std::string text() const;
};

struct Field {
  std::string_view name;
  std::string_view doc;
  const Type *type = nullptr;
  /// The member of an object of the struct.
  std::function<void *(void *object)> member;
  Limits limits;
  /// The names that are allowed; empty if all are.
  std::vector<std::string> choices;
  bool isRequired = false;
  /// Of a text: whether a value names a file or folder; null if none does.
  bool (*isPath)(std::string_view value) = nullptr;
  /// Flags set scalars and lists of scalars, except where a value makes no
  /// sense for the whole build.
  bool isFlag = true;
  /// Why nothing acts on the field; empty if it is obeyed.
  std::string_view inactiveBecause;
  /// Gives a new element of a list the values that it inherits from the object
  /// that holds the list.
  std::function<void(void *element, const void *owner)> inherit;

  // Out of line, because the tables move hundreds of fields.
  Field();
  Field(std::string_view name, std::string_view doc, const Type &type,
        std::function<void *(void *)> member);
  Field(const Field &);
  Field(Field &&) noexcept;
  ~Field();

  void *in(void *object) const { return member(object); }
  const void *in(const void *object) const {
    return member(const_cast<void *>(object));
  }

  Field between(double lowest, double highest) &&;
  Field atLeast(double lowest) &&;
  Field above(double lowest) &&;
  Field below(double highest) &&;
  Field orExactly(double special) &&;
  Field oneOf(std::vector<std::string> names) &&;
  Field required() &&;
  /// The value is the path of a file or folder.
  Field path() &&;
  Field pathIf(bool (*isPath)(std::string_view value)) &&;
  Field onlyInFiles() &&;
  Field inactive(std::string_view why) &&;
};

/// A value on its way from the text into a member.
struct Reading {
  const Field &field;
  const JsonValue &value;
  const Path &path;
  Findings &findings;
  /// The object that `field` is a member of.
  const void *owner;

  void fail(std::string_view message) const {
    findings.error(value.position, path, message);
  }
  /// "must be <what>, not <the value>"; silent if that was reported already.
  void expected(std::string_view what) const;
};

class Type {
public:
  enum class Kind {
    Flag,
    Integer,
    Real,
    RealOrAuto,
    Text,
    Choice,
    List,
    /// A list of messages with a pattern and what it stands for, which an
    /// object with the patterns as names can stand for as well.
    PatternList,
    Message,
    Attributes
  };

  virtual ~Type() = default;
  virtual Kind kind() const = 0;
  virtual void read(void *target, const Reading &reading) const = 0;
  virtual JsonValue write(const void *source) const = 0;
  /// Of a Choice.
  virtual std::vector<std::string> names() const { return {}; }
  /// Of a List or PatternList.
  virtual const Type *element() const { return nullptr; }
  virtual void forEachElement(void *,
                              const std::function<void(void *)> &) const {}
  /// Of a Message. Descriptions may be recursive, so it is made when needed.
  virtual const Message *message() const { return nullptr; }
};

/// What a rule across the fields of one object sees beside the values.
class ObjectScope {
public:
  ObjectScope(const JsonValue &object, const Path &path, Findings &findings)
      : object(object), path(path), findings(findings),
        errorsBefore(findings.errorCount()) {}

  /// Whether the text has the field, and not as an empty text or list.
  bool given(std::string_view name) const;
  /// Whether a value in this object is wrong already.
  bool hasErrors() const { return findings.errorCount() > errorsBefore; }
  /// About the object as a whole.
  void error(std::string_view message) const;
  void error(std::string_view name, std::string_view message) const;
  void warning(std::string_view name, std::string_view message) const;

private:
  /// The member that counts, which is the last one; null if there is none.
  const JsonMember *find(std::string_view name) const;

  const JsonValue &object;
  const Path &path;
  Findings &findings;
  size_t errorsBefore;
};

struct Message {
  std::string_view name;
  std::string_view doc;
  std::vector<Field> fields;
  std::function<void(const void *object, const ObjectScope &scope)> rule;
  /// A default-constructed object, written.
  JsonValue defaults;

  const Field *find(std::string_view fieldName) const;
  std::vector<std::string> fieldNames() const;
  const JsonValue &defaultOf(std::string_view fieldName) const;
};

JsonValue writeMessage(const Message &message, const void *object);
void readMessage(const Message &message, void *object, const Reading &reading);

/// The description of a struct; each has a specialization.
template <typename T> Message describe();

template <typename T> const Type &typeOf();
template <> const Type &typeOf<bool>();
template <> const Type &typeOf<int64_t>();
template <> const Type &typeOf<double>();
/// A number or "auto", which is nothing.
template <> const Type &typeOf<std::optional<double>>();
template <> const Type &typeOf<std::string>();
template <>
const Type &typeOf<std::map<std::string, onnx_import::AttributeValue>>();

/// Finds the one of `choices`, or of `names` if that is empty, which the
/// reading gives; notes an error and returns nothing if it is not among them.
std::optional<std::string> readChoice(const Reading &reading,
                                      std::span<const std::string> names);

template <typename E> class ChoiceType final : public Type {
public:
  Kind kind() const override { return Kind::Choice; }

  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const EnumName<E> &entry : enumNames<E>())
      result.emplace_back(entry.name);
    return result;
  }

  void read(void *target, const Reading &reading) const override {
    if (std::optional<std::string> name = readChoice(reading, names()))
      for (const EnumName<E> &entry : enumNames<E>())
        if (entry.name == *name)
          *static_cast<E *>(target) = entry.value;
  }

  JsonValue write(const void *source) const override {
    return {std::string(configName(*static_cast<const E *>(source))), {}};
  }
};

template <typename T> class ListType : public Type {
public:
  Kind kind() const override { return Kind::List; }
  const Type *element() const override { return &typeOf<T>(); }
  void forEachElement(void *list,
                      const std::function<void(void *)> &fn) const override {
    if constexpr (!std::is_same_v<T, bool>)
      for (T &value : *static_cast<std::vector<T> *>(list))
        fn(&value);
  }

  void read(void *target, const Reading &reading) const override {
    const auto *values = reading.value.as<JsonValue::List>();
    if (!values)
      return reading.expected("a list [ ... ]");
    auto &list = *static_cast<std::vector<T> *>(target);
    list.assign(values->size(), T());
    for (size_t i = 0; i < list.size(); ++i) {
      if (reading.field.inherit)
        reading.field.inherit(&list[i], reading.owner);
      Path path(reading.path, i);
      typeOf<T>().read(&list[i], {reading.field, (*values)[i], path,
                                  reading.findings, reading.owner});
    }
  }

  JsonValue write(const void *source) const override {
    JsonValue::List result;
    for (const T &value : *static_cast<const std::vector<T> *>(source))
      result.push_back(typeOf<T>().write(&value));
    return {std::move(result), {}};
  }
};

template <typename T> class MessageType final : public Type {
public:
  Kind kind() const override { return Kind::Message; }

  const Message *message() const override {
    static const Message made = [] {
      Message description = describe<T>();
      T object;
      description.defaults = writeMessage(description, &object);
      return description;
    }();
    return &made;
  }

  void read(void *target, const Reading &reading) const override {
    readMessage(*message(), target, reading);
  }

  JsonValue write(const void *source) const override {
    return writeMessage(*message(), source);
  }
};

template <typename T> struct TypeFor {
  using type =
      std::conditional_t<std::is_enum_v<T>, ChoiceType<T>, MessageType<T>>;
};
template <typename T> struct TypeFor<std::vector<T>> {
  using type = ListType<T>;
};

template <typename T> const Type &typeOf() {
  static const typename TypeFor<T>::type made;
  return made;
}

template <> const Type &typeOf<std::vector<AllowedTypes>>();

template <typename Struct, typename T>
Field field(std::string_view name, T Struct::*member, std::string_view doc) {
  return Field(name, doc, typeOf<T>(), [member](void *object) -> void * {
    return &(static_cast<Struct *>(object)->*member);
  });
}

template <typename Struct>
Message message(std::string_view name, std::string_view doc,
                std::vector<Field> fields,
                void (*rule)(const Struct &object,
                             const ObjectScope &scope) = nullptr) {
  Message result{name, doc, std::move(fields), nullptr, {}};
  if (rule)
    result.rule = [rule](const void *object, const ObjectScope &scope) {
      rule(*static_cast<const Struct *>(object), scope);
    };
  return result;
}

template <> Message describe<OnnxOptions>();
template <> Message describe<InputQuantConfig>();
template <> Message describe<LayerConfig>();
template <> Message describe<QuantConfig>();
template <> Message describe<ExtraShape>();
template <> Message describe<InputProcessor>();
template <> Message describe<OutputProcessor>();
template <> Message describe<onnx_import::OpProcessor>();
template <> Message describe<onnx_import::ConstProcessor>();
template <> Message describe<PatternNode>();
template <> Message describe<GroupPattern>();
template <> Message describe<CompilerConfig>();
template <> Message describe<DebugOptions>();
template <> Message describe<EvaluationInput>();
template <> Message describe<EvaluationConfig>();
template <> Message describe<TuningCriterion>();
template <> Message describe<TuningExit>();
template <> Message describe<AllowedTypes>();
template <> Message describe<TuningConfig>();
template <> Message describe<BuildConfig>();

/// The description of everything.
const Message &rootMessage();

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_FIELD_H
