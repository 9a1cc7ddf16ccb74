// Coal: meshes in trees of oriented boxes with rectangle swept spheres (OBBRSS), which serve both of its queries.
#include "scenes.hpp"

#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <memory>

using Model = coal::BVHModel<coal::OBBRSS>;

static std::shared_ptr<Model> build(const Mesh& mesh) {
    auto model = std::make_shared<Model>();
    std::vector<coal::Vec3s> points;
    for (const auto& v : mesh.vertices) points.emplace_back(v[0], v[1], v[2]);
    std::vector<coal::Triangle> triangles;
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    model->beginModel(unsigned(triangles.size()), unsigned(points.size()));
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

int main(int argc, char** argv) {
    return main_of(argc, argv, [](const std::string& name, const Scene& scene) {
        auto a = build(scene.a), b = build(scene.b);
        std::vector<coal::Transform3s> poses;
        for (const Placed& p : scene.poses) {
            Eigen::Quaterniond q(p.quaternion[3], p.quaternion[0], p.quaternion[1], p.quaternion[2]);
            poses.emplace_back(q.normalized().toRotationMatrix(),
                               coal::Vec3s(p.translation[0], p.translation[1], p.translation[2]));
        }
        const coal::Transform3s here;
        auto collide = [&](std::size_t i, std::size_t most) {
            coal::CollisionRequest request(coal::NO_REQUEST, most);
            // Only what meets, as everyone does.
            request.break_distance = 0;
            coal::CollisionResult result;
            coal::collide(a.get(), here, b.get(), poses[i], request, result);
            return long(result.numContacts());
        };
        Peer peer;
        peer.name = "Coal";
        peer.meets = [&](std::size_t i) { return collide(i, 1) != 0; };
        peer.n_pairs = [&](std::size_t i) { return collide(i, 1u << 30); };
        peer.distance = [&](std::size_t i) {
            coal::DistanceRequest request(false, false);
            coal::DistanceResult result;
            return coal::distance(a.get(), here, b.get(), poses[i], request, result);
        };
        run(name, scene, peer);
    });
}
