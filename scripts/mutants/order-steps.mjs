const mostLikely = 4
const mostMs = 100

/**
 * Returns in which order tests are tried: at first, one by one, those which have noticed other mutants of the source, the
 * latest first, and then all of them, file by file: files with such tests first, and quick ones.
 *
 * @param tests those that reach the mutant, with `id`, `file` and `ms`, out of `all`
 * @param killers ids of tests
 */
export function orderSteps({ tests, killers, all }) {
  const ofFile = Object.groupBy(all, ({ file }) => file)
  const likely = killers.map((killer) => tests.find(({ id }) => id === killer)).filter(Boolean)
  const likelyFiles = new Set(likely.map(({ file }) => file))
  const rank = (group) => (likelyFiles.has(group[0].file) ? 0 : 1)
  const steps = [
    ...likely
      .filter(({ ms }) => ms < mostMs)
      .slice(0, mostLikely)
      .map((test) => [test]),
    ...Object.values(Object.groupBy(tests, ({ file }) => file)).toSorted(
      (left, right) => rank(left) - rank(right) || duration(left) - duration(right),
    ),
  ]
  return steps.map((group) => ({ file: group[0].file, tests: group, all: ofFile[group[0].file] }))
}

function duration(tests) {
  return tests.reduce((sum, { ms }) => sum + ms, 0)
}
