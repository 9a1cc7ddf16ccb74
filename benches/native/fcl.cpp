// FCL: meshes in trees of oriented boxes with rectangle swept spheres (OBBRSS), which serve both of its queries.
#include "scenes.hpp"

#include <fcl/fcl.h>
#include <memory>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

static std::shared_ptr<Model> build(const Mesh& mesh) {
    auto model = std::make_shared<Model>();
    std::vector<fcl::Vector3d> points;
    for (const auto& v : mesh.vertices) points.emplace_back(v[0], v[1], v[2]);
    std::vector<fcl::Triangle> triangles;
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    model->beginModel();
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

int main(int argc, char** argv) {
    return main_of(argc, argv, [](const std::string& name, const Scene& scene) {
        auto a = build(scene.a), b = build(scene.b);
        std::vector<fcl::Transform3d> poses;
        for (const Placed& p : scene.poses) {
            fcl::Transform3d pose = fcl::Transform3d::Identity();
            Eigen::Quaterniond q(p.quaternion[3], p.quaternion[0], p.quaternion[1], p.quaternion[2]);
            pose.linear() = q.normalized().toRotationMatrix();
            pose.translation() = Eigen::Vector3d(p.translation[0], p.translation[1], p.translation[2]);
            poses.push_back(pose);
        }
        const fcl::Transform3d here = fcl::Transform3d::Identity();
        auto collide = [&](std::size_t i, std::size_t most) {
            fcl::CollisionRequestd request(most, false);
            fcl::CollisionResultd result;
            fcl::collide(a.get(), here, b.get(), poses[i], request, result);
            return long(result.numContacts());
        };
        Peer peer;
        peer.name = "FCL";
        peer.meets = [&](std::size_t i) { return collide(i, 1) != 0; };
        peer.n_pairs = [&](std::size_t i) { return collide(i, 1u << 30); };
        peer.distance = [&](std::size_t i) {
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            return fcl::distance(a.get(), here, b.get(), poses[i], request, result);
        };
        run(name, scene, peer);
    });
}
