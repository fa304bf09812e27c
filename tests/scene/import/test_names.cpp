// Names that importers give to bodies and obstacles.
#include "stiction/scene/import/names.hpp"

#include <doctest/doctest.h>

TEST_CASE("imported names: the stem, allowed letters only, each once") {
    stiction::scene::ImportNames names;
    CHECK(names.next("a/b/rod.msh") == "rod");
    CHECK(names.next("c/rod.obj") == "rod_2");
    CHECK(names.next("rod_2.obj") == "rod_2_2");
    CHECK(names.next("rod.obj") == "rod_3");
    CHECK(names.next("two words.v2.msh") == "two_words.v2");
    CHECK(names.next(".hidden") == "body.hidden");
    CHECK(names.next("") == "body");
}
