#include "stiction/linalg/operator_bytes.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/supernodal/automatic_operator.hpp"

#include <cstring>

namespace stiction {
namespace {

using supernodal::Factor;
using supernodal::SparseInverse;

constexpr std::string_view magic = "stiction-operator-2\n";

/// Word by word, for hundreds of megabytes; every step is a bijection of the hash, so that one changed word never goes
/// unseen.
class Hash {
public:
    void add(std::string_view bytes) {
        for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), sizeof(word));
            add_word(word);
        }
        std::uint64_t rest = 0;
        if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
        add_word(rest);
        add_word(bytes.size());
    }
    template <class Value>
    void add_value(const Value& value) {
        add({reinterpret_cast<const char*>(&value), sizeof(Value)});
    }
    std::uint64_t value() const { return hash_; }

private:
    void add_word(std::uint64_t word) {
        hash_ = (hash_ ^ word) * 1099511628211ull;
        hash_ ^= hash_ >> 29;
    }
    std::uint64_t hash_ = 14695981039346656037ull;
};

template <class Value>
std::string_view bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(Value)};
}

class Writer {
public:
    template <class Value>
    void operator()(const std::vector<Value>& array) {
        static_assert(std::is_trivially_copyable_v<Value>);
        bytes.append(bytes_of(static_cast<std::uint64_t>(array.size())));
        bytes.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(Value));
    }
    void operator()(const Index& value) { bytes.append(bytes_of(value)); }

    std::string bytes;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    template <class Value>
    void operator()(std::vector<Value>& array) {
        std::uint64_t count = 0;
        take(count);
        if (!complete_ || count > bytes_.size() / sizeof(Value)) {
            complete_ = false;
            return;
        }
        array.resize(count);
        if (count > 0) std::memcpy(array.data(), bytes_.data(), count * sizeof(Value));
        bytes_.remove_prefix(count * sizeof(Value));
    }
    void operator()(Index& value) { take(value); }
    template <class Value>
    void take(Value& value) {
        complete_ = complete_ && bytes_.size() >= sizeof(Value);
        if (!complete_) return;
        std::memcpy(&value, bytes_.data(), sizeof(Value));
        bytes_.remove_prefix(sizeof(Value));
    }
    std::string_view rest() const { return bytes_; }
    /// Whether everything was there and nothing is left.
    bool complete() const { return complete_ && bytes_.empty(); }

private:
    std::string_view bytes_;
    bool complete_ = true;
};

/// Every array, in the order of the bytes.
template <class FactorLike, class Visit>
void visit_factor(FactorLike& factor, Visit& visit) {
    auto& pattern = factor.pattern;
    visit(pattern.unknowns);
    visit(pattern.order);
    visit(pattern.position);
    visit(pattern.column_begin);
    visit(pattern.supernode_of);
    visit(pattern.parent);
    visit(pattern.first_descendant);
    visit(pattern.row_begin);
    visit(pattern.rows);
    visit(pattern.in_parent);
    visit(pattern.value_begin);
    visit(factor.values);
}

template <class InverseLike, class Visit>
void visit_inverse(InverseLike& inverse, Visit& visit) {
    visit(inverse.unknowns);
    visit(inverse.order);
    visit(inverse.column_begin);
    visit(inverse.parent);
    visit(inverse.first_descendant);
    visit(inverse.path_length);
    visit(inverse.value_begin);
    visit(inverse.values);
}

std::unique_ptr<FactoredOperator> read_arrays(OperatorKind kind, Reader& reader) {
    if (kind == OperatorKind::sparse_inverse) {
        SparseInverse inverse;
        visit_inverse(inverse, reader);
        return reader.complete() ? std::make_unique<supernodal::InverseProducts>(std::move(inverse)) : nullptr;
    }
    Factor factor;
    visit_factor(factor, reader);
    if (!reader.complete()) return nullptr;
    if (kind == OperatorKind::automatic) return std::make_unique<supernodal::AutomaticOperator>(std::move(factor));
    return std::make_unique<supernodal::TriangularSolves>(std::move(factor));
}

}  // namespace

std::uint64_t operator_key(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind) {
    Hash hash;
    hash.add(magic);
    hash.add(__VERSION__);
    hash.add(Eigen::SimdInstructionSetsInUse());
    hash.add_value(kind);
    hash.add_value(most_double_entries);
    hash.add_value(matrix.rows());
    hash.add_value(matrix.cols());
    for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
            if (entry.row() < j) continue;
            hash.add_value(entry.row());
            hash.add_value(j);
            hash.add_value(entry.value());
        }
    }
    return hash.value();
}

std::string to_bytes(const FactoredOperator& factored, std::uint64_t key) {
    Writer writer;
    OperatorKind kind = OperatorKind::triangular_solves;
    if (const auto* products = dynamic_cast<const supernodal::InverseProducts*>(&factored)) {
        kind = OperatorKind::sparse_inverse;
        visit_inverse(products->inverse(), writer);
    } else if (const auto* automatic = dynamic_cast<const supernodal::AutomaticOperator*>(&factored)) {
        kind = OperatorKind::automatic;
        const Factor factor = automatic->factor();
        visit_factor(factor, writer);
    } else {
        const auto* solves = dynamic_cast<const supernodal::TriangularSolves*>(&factored);
        STICTION_CHECK(solves, "only operators that factor_operator made have bytes");
        const Factor factor = solves->factor();
        visit_factor(factor, writer);
    }
    const auto number = static_cast<std::int64_t>(kind);
    Hash hash;
    hash.add_value(number);
    hash.add(writer.bytes);
    std::string result(magic);
    result.append(bytes_of(key)).append(bytes_of(number)).append(bytes_of(hash.value()));
    return result += writer.bytes;
}

ReadOperator operator_from_bytes(std::string_view bytes, std::uint64_t key) {
    ReadOperator result;
    if (!bytes.starts_with(magic)) {
        result.problem = "of another format or matrix";
        return result;
    }
    Reader reader(bytes.substr(magic.size()));
    std::uint64_t stored_key = 0, checksum = 0;
    std::int64_t kind = -1;
    reader.take(stored_key);
    reader.take(kind);
    reader.take(checksum);
    Hash hash;
    hash.add_value(kind);
    hash.add(reader.rest());
    if (stored_key != key) {
        result.problem = "of another format or matrix";
    } else if (hash.value() != checksum || kind < 0 || kind > static_cast<std::int64_t>(OperatorKind::automatic)) {
        result.problem = "damaged";
    } else {
        result.factored = read_arrays(static_cast<OperatorKind>(kind), reader);
        if (!result.factored) result.problem = "damaged";
    }
    return result;
}

}  // namespace stiction
