// Plays legal[0] by the threads, futures, latches and atomic waits of C++20, and by its parallel stops.
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static void check(bool held) {
    if (!held) throw std::runtime_error("a check failed");
}

static void prepare() {
    std::vector<std::future<int>> futures;
    for (int i = 0; i < 8; i++) futures.push_back(std::async(std::launch::async, [i] { return i; }));
    int total = 0;
    for (auto &future : futures) total += future.get();
    check(total == 28);
    std::latch begun(4);
    std::atomic<int> count = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&] {
                begun.arrive_and_wait();
                count++;
                count.notify_all();
            });
        for (int seen = count; seen < 4; seen = count) count.wait(seen);
    }
    std::shared_mutex book;
    std::thread reader([&] { std::shared_lock held(book); });
    reader.join();
}

static std::string between(const std::string &line, const std::string &opening, const std::string &closing) {
    auto from = line.find(opening) + opening.size();
    return line.substr(from, line.find(closing, from) - from);
}

int main() {
    prepare();
    std::string line, chosen;
    std::binary_semaphore wanted(0), done(0);
    std::jthread chooser([&](std::stop_token stop) {
        while (!stop.stop_requested())
            if (wanted.try_acquire_for(std::chrono::milliseconds(5))) {
                chosen = between(line, "\"legal\":[\"", "\"");
                done.release();
            }
    });
    while (std::getline(std::cin, line)) {
        if (line.find("\"type\":\"hello\"") != std::string::npos) {
            std::cout << R"({"type":"ready","name":"futures"})" << std::endl;
        } else if (line.find("\"type\":\"request\"") != std::string::npos) {
            wanted.release();
            done.acquire();
            std::cout << R"({"type":"reply","id":)" << between(line, "\"id\":", ",") << R"(,"action":")" << chosen
                      << "\"}" << std::endl;
        }
    }
}
