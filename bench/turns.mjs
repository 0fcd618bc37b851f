//===- turns.mjs - Latency in turns with ONNX Runtime ---------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Both sides take turns within one run: the load of a shared computer affects both. Here
// is how long a turn lasts and how ONNX Runtime is brought to its best, for
// every benchmark that measures latency next to it.

import {
  alternate,
  createSession,
  makeFeeds,
  median,
  modelFile,
  Server,
  sleep,
  timed,
} from "./lib.mjs";

const warmup = 3;
const minCount = 7;

// Before each turn the other side's threads get this long to go to sleep:
// thread pools commonly spin for about a millisecond after their last task.
const settleMs = 5;

// A turn lasts at least this long: a network of a tenth of a millisecond would
// otherwise be measured with cold caches and threads that first have to wake.
const turnMs = 10;

// What ONNX Runtime's own threads do while they wait for work. Measured alone
// with two threads on two cores: spinning, its default, is ahead while both
// cores are free (best times 18.7 against 23.1 ms for ppocrv4-rec) and falls
// behind by up to 2x as soon as anything else wants one. So both are tried
// for every model and the better one competes. The default unchanged would
// disturb our turn: its threads burn 35 to 47 ms of processor time after each
// run. `force_spinning_stop` ends that with the run (0.2 ms) and showed no
// cost within it.
const waitPolicies = {
  spin: { session: { force_spinning_stop: "1" } },
  sleep: { session: { intra_op: { allow_spinning: "0" } } },
};

/// One turn of a side whose `run` times one inference: the median of a turn.
async function takeTurn(run) {
  await sleep(settleMs);
  const times = [];
  for (let sum = 0; sum < turnMs; sum += times.at(-1)) times.push(await run());
  return median(times);
}

/// Opens ONNX Runtime at its best setting; `run` times one inference.
async function openOrt(ort, cache, model, threads) {
  const file = modelFile(cache, model);
  const feeds = makeFeeds(ort, model);
  // One thread is the caller itself: no other thread has to wait.
  const policies = threads > 1 ? Object.keys(waitPolicies) : ["spin"];
  const candidates = [];
  for (const policy of policies) {
    const extra = waitPolicies[policy];
    const session = await createSession(ort, file, threads, extra);
    const run = () => timed(() => session.run(feeds));
    candidates.push({ policy, session, run, times: [] });
  }
  for (let i = 0; policies.length > 1 && i < warmup + minCount; ++i)
    for (const { run, times } of candidates) {
      const time = await takeTurn(run);
      if (i >= warmup) times.push(time);
    }
  candidates.sort((a, b) => median(a.times) - median(b.times));
  for (const { session } of candidates.slice(1)) await session.release();
  return candidates[0];
}

/// Medians of `parallax` with the arguments `args` and of ONNX Runtime's float
/// inference of `model`, in turns for at least `budgetMs`.
export async function measureTurns(
  { ort, cache, parallax, budgetMs },
  model,
  args,
  threads,
) {
  const server = await Server.start(parallax, [
    ...args,
    "--threads",
    String(threads),
  ]);
  try {
    const peer = await openOrt(ort, cache, model, threads);
    const result = await alternate(
      () => takeTurn(() => server.run()),
      () => takeTurn(peer.run),
      warmup,
      (count, elapsed) => count < minCount || elapsed < budgetMs,
    );
    await peer.session.release();
    return { ...result, policy: threads > 1 ? peer.policy : "-" };
  } finally {
    await server.stop();
  }
}
