// The shared part of the programs of the peers: it reads the scenes that `native export` wrote,
// compares, times and prints.
//
// A line of output is, between tabs: peer, scene, query, microseconds per call, answers compared,
// answers that differ.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

struct Mesh {
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<int, 3>> triangles;
};

/// A pose of B in A's frame, with carom's answers.
struct Placed {
    std::array<double, 4> quaternion;  // x, y, z, w
    std::array<double, 3> translation;
    bool meets;
    long n_pairs;
    double distance;
};

struct Scene {
    Mesh a, b;
    std::vector<Placed> poses;
    /// The distance is queried for the first `n_distances` poses.
    std::size_t n_distances;
};

inline std::ifstream open_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) {
        std::fprintf(stderr, "%s cannot be read\n", path.c_str());
        std::exit(2);
    }
    return in;
}

inline Mesh read_obj(const std::string& path) {
    Mesh mesh;
    std::ifstream in = open_file(path);
    std::string word;
    while (in >> word) {
        if (word == "v") {
            std::array<double, 3> p;
            in >> p[0] >> p[1] >> p[2];
            mesh.vertices.push_back(p);
        } else if (word == "f") {
            std::array<int, 3> t;
            in >> t[0] >> t[1] >> t[2];
            for (int& i : t) --i;
            mesh.triangles.push_back(t);
        } else {
            std::getline(in, word);
        }
    }
    return mesh;
}

inline Scene read_scene(const std::string& folder, const std::string& name) {
    Scene scene{read_obj(folder + "/" + name + "-a.obj"), read_obj(folder + "/" + name + "-b.obj"), {}, 0};
    std::ifstream in = open_file(folder + "/" + name + ".poses");
    in >> scene.n_distances;
    Placed p;
    int meets;
    while (in >> p.quaternion[0] >> p.quaternion[1] >> p.quaternion[2] >> p.quaternion[3] >> p.translation[0] >>
           p.translation[1] >> p.translation[2] >> meets >> p.n_pairs >> p.distance) {
        p.meets = meets != 0;
        scene.poses.push_back(p);
    }
    scene.n_distances = std::min(scene.n_distances, scene.poses.size());
    return scene;
}

/// Returns the CPU time of this thread, in nanoseconds.
inline double thread_ns() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

/// Returns the microseconds per call: the median of five samples. Each sample makes passes over
/// the `n` calls for about four milliseconds.
inline double time_us(std::size_t n, const std::function<void(std::size_t)>& call) {
    auto pass = [&] {
        double start = thread_ns();
        for (std::size_t i = 0; i < n; ++i) call(i);
        return thread_ns() - start;
    };
    int repeats = std::max(1, int(std::ceil(4e6 / std::max(1.0, pass()))));
    std::vector<double> samples;
    for (int round = 0; round < 5; ++round) {
        double sum = 0;
        for (int i = 0; i < repeats; ++i) sum += pass();
        samples.push_back(sum / repeats / double(n) * 1e-3);
    }
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

inline void tell(const char* peer, const std::string& scene, const char* query, double us, long compared,
                 long differ) {
    std::printf("%s\t%s\t%s\t%.6g\t%ld\t%ld\n", peer, scene.c_str(), query, us, compared, differ);
    std::fflush(stdout);
}

/// The queries of a peer. Each takes the index of a pose.
struct Peer {
    const char* name;
    std::function<bool(std::size_t)> meets;
    std::function<long(std::size_t)> n_pairs;
    std::function<double(std::size_t)> distance;
};

/// Compares, then times. The peers' tests of two triangles are not exact: a number of pairs is
/// different if it is off by more than half a percent and half a pair, and a distance if it is off
/// by more than a millionth.
inline void run(const std::string& name, const Scene& scene, const Peer& peer) {
    long differ = 0, n = long(scene.poses.size());
    for (std::size_t i = 0; i < scene.poses.size(); ++i) differ += peer.meets(i) != scene.poses[i].meets;
    tell(peer.name, name, "yes/no", time_us(scene.poses.size(), [&](std::size_t i) { peer.meets(i); }), n, differ);
    differ = 0;
    for (std::size_t i = 0; i < scene.poses.size(); ++i) {
        double own = double(peer.n_pairs(i)), exact = double(scene.poses[i].n_pairs);
        differ += std::abs(own - exact) > 0.005 * exact + 0.5;
    }
    tell(peer.name, name, "all pairs", time_us(scene.poses.size(), [&](std::size_t i) { peer.n_pairs(i); }), n, differ);
    differ = 0;
    for (std::size_t i = 0; i < scene.n_distances; ++i)
        differ += !(std::abs(std::max(0.0, peer.distance(i)) - scene.poses[i].distance) <= 1e-6);
    double us = time_us(scene.n_distances, [&](std::size_t i) { peer.distance(i); });
    tell(peer.name, name, "distance", us, long(scene.n_distances), differ);
}

/// Calls `each` with the scenes that are named on the command line after the folder.
inline int main_of(int argc, char** argv, const std::function<void(const std::string&, const Scene&)>& each) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s FOLDER SCENE...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; ++i) each(argv[i], read_scene(argv[1], argv[i]));
    return 0;
}
