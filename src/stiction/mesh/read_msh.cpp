// Gmsh files. Format: Gmsh reference manual, "MSH file format" (4.1; 4.0 in the manuals of Gmsh 4.0) and "MSH file
// format version 2".
#include "stiction/base/error.hpp"
#include "stiction/mesh/msh_mesh.hpp"
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

namespace stiction::detail {
namespace {

/// Node tags of the file -> indices. Tags may be sparse and in any order.
class NodeTags {
public:
    /// @return false when the tag exists already
    bool add(std::int64_t tag, Index index) { return index_of_.emplace(tag, index).second; }
    void reserve(std::size_t count) { index_of_.reserve(count); }
    Index find(std::int64_t tag) const {
        const auto found = index_of_.find(tag);
        return found == index_of_.end() ? -1 : found->second;
    }

private:
    std::unordered_map<std::int64_t, Index> index_of_;
};

class MshReader {
public:
    explicit MshReader(ByteReader& in) : in_(in) {}
    Mesh read();

private:
    void read_format();
    [[noreturn]] void fail_foreign(std::string_view first) const;
    void skip_section(std::string_view name);
    void read_entities();
    void read_partitioned_entities();
    void read_entity(int dimension);
    void read_nodes_2();
    void read_elements_2();
    void read_nodes_4();
    void read_elements_4();
    void read_element_2(std::int64_t type, std::size_t tags);
    void add_node(std::int64_t tag, const Vec3& position);
    void check_type(std::int64_t type);
    void check_orders();
    Index node(std::int64_t tag) const;

    // numbers of the sections, in text or binary
    int integer32(std::string_view what) {
        if (binary_) return in_.binary<std::int32_t>(what);
        const std::int64_t value = in_.integer(what);
        if (value != static_cast<int>(value)) in_.fail(fmt::format("{}", value), fmt::format("{} of 32 bits", what));
        return static_cast<int>(value);
    }
    std::int64_t integer64(std::string_view what) {
        return binary_ ? in_.binary<std::int64_t>(what) : in_.integer(what);
    }
    double number(std::string_view what) { return binary_ ? in_.binary_finite<double>(what) : in_.number(what); }
    Vec3 position() {
        const double x = number("a node's x"), y = number("a node's y"), z = number("a node's z");
        return {x, y, z};
    }
    std::size_t bytes(std::size_t binary_size, std::size_t words) const { return binary_ ? binary_size : 2 * words; }
    void begin_section() { in_.set_binary(binary_); }
    void end_section(std::string_view name) {
        in_.set_binary(false);
        in_.expect(name);
    }

    ByteReader& in_;
    bool binary_ = false;
    int version_ = 0;       // 2 or 4
    bool early_4_ = false;  // 4.0: other orders and widths than 4.1
    bool has_nodes_ = false;
    // the first second-order line or triangle of the file and the place where it stands
    std::int64_t first_curved_ = 0;
    std::size_t curved_position_ = 0;
    bool partitioned_ = false;  // inside $PartitionedEntities
    NodeTags node_tags_;
    MshMesh mesh_;
    struct Entity {
        std::vector<int> physical;  // all its groups
        int geometric;              // its own tag, or that of the entity that it is a partition of
    };
    std::map<std::pair<int, int>, Entity> entities_;  // by dimension and tag
};

Mesh MshReader::read() {
    const std::string_view first = in_.word("$MeshFormat");
    if (first != "$MeshFormat") fail_foreign(first);
    read_format();
    while (!in_.skip_space()) {
        const std::string name(in_.word("a section such as $Nodes"));
        if (name.front() != '$') in_.fail(name, "a section such as $Nodes");
        const bool entities = name == "$Entities" || name == "$PartitionedEntities";
        if (name == "$Nodes" || name == "$Elements" || (entities && version_ == 4)) {
            if (name == "$Nodes" && std::exchange(has_nodes_, true)) in_.fail(name, "only one $Nodes section");
            if (name == "$Elements" && !has_nodes_) in_.fail(name, "$Nodes before $Elements");
            in_.line();
            begin_section();
            if (name == "$Entities")
                read_entities();
            else if (name == "$PartitionedEntities")
                read_partitioned_entities();
            else if (name == "$Nodes")
                version_ == 2 ? read_nodes_2() : read_nodes_4();
            else
                version_ == 2 ? read_elements_2() : read_elements_4();
            end_section("$End" + name.substr(1));
        } else {
            skip_section(name);
        }
    }
    if (!has_nodes_) in_.fail("end of file", "a $Nodes section");
    check_orders();
    return mesh_.finish();
}

/// Names what begins in another way than files of Gmsh do.
void MshReader::fail_foreign(std::string_view first) const {
    if (first == "$NOD")
        in_.fail("MSH version 1", "MSH version 2.2, 4.0 or 4.1: open the file in Gmsh and save it again");
    in_.fail(
        first.front() == '(' ? "a mesh of Ansys Fluent" : first,
        "a file of Gmsh, which begins with $MeshFormat; other programs' .msh files are other formats: convert them, "
        "for example with `meshio convert --output-format gmsh22`");
}

void MshReader::read_format() {
    const std::string version(in_.word("a format version"));
    if (version == "2" || version == "2.0" || version == "2.1" || version == "2.2")
        version_ = 2;
    else if (version == "4" || version == "4.0" || version == "4.1")
        version_ = 4;
    else
        in_.fail("version " + version, "MSH version 2.2, 4.0 or 4.1");
    early_4_ = version_ == 4 && version != "4.1";
    const std::int64_t type = in_.integer("file type 0 (ASCII) or 1 (binary)");
    if (type != 0 && type != 1) in_.fail(fmt::format("{}", type), "file type 0 (ASCII) or 1 (binary)");
    const std::int64_t data_size = in_.integer("data size 8");
    if (data_size != 8) in_.fail(fmt::format("{}", data_size), "data size 8");
    binary_ = type == 1;
    if (binary_) {
        in_.line();
        const std::size_t mark = in_.position();
        if (in_.binary<std::int32_t>("the number 1 in binary") != 1) {
            in_.seek(mark);
            in_.set_swapped(true);
            if (in_.binary<std::int32_t>("the number 1 in binary") != 1)
                in_.fail("a byte order mark", "the number 1 in binary");
        }
    }
    in_.expect("$EndMeshFormat");
}

void MshReader::skip_section(std::string_view name) {
    const std::string end = fmt::format("$End{}", name.substr(1));
    const std::size_t found = in_.bytes().find(end, in_.position());
    if (found == std::string_view::npos) in_.fail(name, fmt::format("{} at the end of the section", end));
    in_.seek(found + end.size());
}

void MshReader::read_entities() {
    std::size_t count[4];
    for (std::size_t& n : count) n = in_.plausible_count(integer64("a number of entities"), 1, "entities");
    for (int dimension = 0; dimension < 4; ++dimension)
        for (std::size_t i = 0; i < count[dimension]; ++i) read_entity(dimension);
}

void MshReader::read_partitioned_entities() {
    integer64("a number of partitions");
    const std::size_t ghosts =
        in_.plausible_count(integer64("a number of ghost entities"), bytes(8, 2), "ghost entities");
    for (std::size_t i = 0; i < ghosts; ++i) integer32("a ghost entity"), integer32("a partition");
    partitioned_ = true;
    read_entities();
    partitioned_ = false;
}

/// One entity, with its groups. A partition of an entity names that entity as its parent.
void MshReader::read_entity(int dimension) {
    const int tag = integer32("an entity tag");
    Entity entity{{}, tag};
    if (partitioned_) {
        const int parent_dimension = integer32("the dimension of a parent entity");
        const int parent = integer32("a parent entity");
        if (parent_dimension == dimension) entity.geometric = parent;
        const std::size_t partitions =
            in_.plausible_count(integer64("a number of partitions"), bytes(4, 1), "partitions");
        for (std::size_t k = 0; k < partitions; ++k) integer32("a partition");
    }
    for (int k = 0; k < (dimension == 0 && !early_4_ ? 3 : 6); ++k) number("an entity's bounds");
    const std::size_t groups =
        in_.plausible_count(integer64("a number of physical tags"), bytes(4, 1), "physical tags");
    for (std::size_t k = 0; k < groups; ++k) {
        // negative: the group uses the entity with opposite orientation
        entity.physical.push_back(std::abs(integer32("a physical tag")));
    }
    entities_.insert_or_assign({dimension, tag}, std::move(entity));
    if (dimension == 0) return;
    const std::size_t bounds = in_.plausible_count(integer64("a number of bounding entities"), bytes(4, 1), "entities");
    for (std::size_t k = 0; k < bounds; ++k) integer32("a bounding entity");
}

void MshReader::add_node(std::int64_t tag, const Vec3& position) {
    if (!node_tags_.add(tag, static_cast<Index>(mesh_.so_far().vertices.size()))) {
        in_.fail(fmt::format("node {}", tag), "node tags that appear once");
    }
    mesh_.add_node(position);
}

Index MshReader::node(std::int64_t tag) const {
    const Index index = node_tags_.find(tag);
    if (index < 0) in_.fail(fmt::format("node {}", tag), "a node listed in $Nodes");
    return index;
}

void MshReader::check_type(std::int64_t type) {
    if (node_count(type) == 0)
        in_.fail(element_name(type),
                 "linear points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms or pyramids, or "
                 "second-order tetrahedra");
    if ((type == line3 || type == triangle6) && first_curved_ == 0) {
        first_curved_ = type;
        curved_position_ = in_.position();
    }
}

/// Elements of both orders do not meet node to node, and surfaces are linear: their mid nodes would be lost.
void MshReader::check_orders() {
    const std::size_t curved = mesh_.so_far().mid_nodes.size(), tets = mesh_.so_far().tets.size();
    if (curved != 0 && curved != tets)
        in_.fail(fmt::format("{} second-order and {} linear tetrahedra", curved, tets - curved),
                 "tetrahedra of one order: mesh the whole model with the same order");
    if (first_curved_ == 0 || curved != 0) return;
    in_.seek(curved_position_);
    in_.fail(element_name(first_curved_),
             "second-order lines and triangles only beside second-order tetrahedra: save the mesh with order 1");
}

void MshReader::read_nodes_2() {
    in_.set_binary(false);  // the number of nodes is text in binary files, too
    const std::size_t count = in_.plausible_count(in_.integer("a number of nodes"), bytes(28, 4), "nodes");
    if (binary_) in_.line();
    begin_section();
    mesh_.reserve_nodes(count);
    node_tags_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t tag = integer32("a node tag");
        add_node(tag, position());
    }
}

void MshReader::read_element_2(std::int64_t type, std::size_t tags) {
    int physical = 0;
    int geometric = 0;
    for (std::size_t k = 0; k < tags; ++k) {
        const int tag = integer32("an element's tag");
        if (k == 0) physical = tag;
        if (k == 1) geometric = tag;
    }
    Index nodes[most_nodes];
    for (int k = 0; k < node_count(type); ++k) nodes[k] = node(integer32("an element's node"));
    mesh_.add_listing(type, nodes, physical, geometric);
}

void MshReader::read_elements_2() {
    in_.set_binary(false);
    const std::size_t count = in_.plausible_count(in_.integer("a number of elements"), bytes(8, 4), "elements");
    if (binary_) in_.line();
    begin_section();
    for (std::size_t done = 0; done < count;) {
        if (!binary_) integer32("an element number");
        const std::int64_t type = integer32("an element type");
        check_type(type);
        std::size_t run = 1;  // binary files announce runs of elements of one type
        if (binary_) {
            run = in_.plausible_count(integer32("a number of elements"), 4, "elements");
            if (run == 0 || run > count - done) {
                in_.fail(fmt::format("{} elements", run), fmt::format("from 1 to {} elements", count - done));
            }
        }
        const std::size_t tags = in_.plausible_count(integer32("a number of tags"), 0, "tags");
        in_.plausible_count(static_cast<std::int64_t>(tags), bytes(4, 1), "tags");
        for (std::size_t i = 0; i < run; ++i) {
            if (binary_) integer32("an element number");
            read_element_2(type, tags);
        }
        done += run;
    }
}

void MshReader::read_nodes_4() {
    const std::size_t blocks = in_.plausible_count(integer64("a number of node blocks"), 1, "node blocks");
    const std::size_t count =
        in_.plausible_count(integer64("a number of nodes"), bytes(early_4_ ? 28 : 32, 4), "nodes");
    if (!early_4_) integer64("the lowest node tag"), integer64("the highest node tag");
    mesh_.reserve_nodes(count);
    node_tags_.reserve(count);
    for (std::size_t b = 0; b < blocks; ++b) {
        const int one = integer32(early_4_ ? "an entity tag" : "a dimension"),
                  other = integer32(early_4_ ? "a dimension" : "an entity tag");
        const int dimension = early_4_ ? other : one;
        const std::int64_t parametric = integer32("0 or 1 (parametric)");
        const std::size_t in_block =
            in_.plausible_count(integer64("a number of nodes"), bytes(early_4_ ? 28 : 32, 4), "nodes");
        std::vector<std::int64_t> tags(in_block);
        for (std::int64_t& tag : tags)
            if (!early_4_) tag = integer64("a node tag");
        for (std::int64_t tag : tags) {
            if (early_4_) tag = integer32("a node tag");
            add_node(tag, position());
            for (std::int64_t k = 0; parametric != 0 && k < dimension; ++k) number("a parametric coordinate");
        }
    }
    if (mesh_.so_far().vertices.size() != count) {
        in_.fail(fmt::format("{} nodes in the blocks", mesh_.so_far().vertices.size()),
                 fmt::format("{} nodes, as announced", count));
    }
}

void MshReader::read_elements_4() {
    const std::size_t blocks = in_.plausible_count(integer64("a number of element blocks"), 1, "element blocks");
    const std::size_t count =
        in_.plausible_count(integer64("a number of elements"), bytes(early_4_ ? 8 : 16, 2), "elements");
    if (!early_4_) integer64("the lowest element tag"), integer64("the highest element tag");
    std::size_t read = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const int one = integer32(early_4_ ? "an entity tag" : "a dimension"),
                  other = integer32(early_4_ ? "a dimension" : "an entity tag");
        const int dimension = early_4_ ? other : one, entity = early_4_ ? one : other;
        const auto id = [&](const char* what) -> std::int64_t { return early_4_ ? integer32(what) : integer64(what); };
        const std::int64_t type = integer32("an element type");
        check_type(type);
        const std::size_t in_block =
            in_.plausible_count(integer64("a number of elements"), bytes(early_4_ ? 8 : 16, 2), "elements");
        const auto found = entities_.find({dimension, entity});
        const Entity block_entity = found == entities_.end() ? Entity{{}, entity} : found->second;
        for (std::size_t i = 0; i < in_block; ++i) {
            id("an element tag");
            Index nodes[most_nodes];
            for (int k = 0; k < node_count(type); ++k) nodes[k] = node(id("an element's node"));
            mesh_.add_element(type, nodes, block_entity.physical, block_entity.geometric);
        }
        read += in_block;
    }
    if (read != count)
        in_.fail(fmt::format("{} elements in the blocks", read), fmt::format("{} elements, as announced", count));
}

}  // namespace

Mesh read_msh(ByteReader& in) {
    return MshReader(in).read();
}

}  // namespace stiction::detail
