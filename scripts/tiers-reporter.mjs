// Prints, at the end of a run of all tests, the test files of other tiers and how to run them. A run of a part (of paths,
// titles or projects) prints nothing.
import { globSync, readFileSync } from 'node:fs'

export default class TiersReporter {
  #left
  #vitest
  #isWhole = false

  /**
   * @param options `left`: for each tier the command that runs it (`by`), the patterns of its files (`include`, `exclude`),
   *   a text that its files contain (`reading`), and a description of its tests in these files (`what`).
   */
  constructor({ left }) {
    this.#left = left
  }

  onInit(vitest) {
    this.#vitest = vitest
  }

  async onTestRunStart(specifications) {
    const { project, testNamePattern } = this.#vitest.config
    const isChosen = testNamePattern !== undefined || [project ?? []].flat().length > 0
    this.#isWhole = !isChosen && specifications.length >= (await this.#vitest.globTestSpecifications()).length
  }

  onTestRunEnd() {
    if (!this.#isWhole) return
    for (const { by, what, ...patterns } of this.#left) {
      const files = filesOf(patterns, this.#vitest.config.root)
      const count = `${files.length} ${files.length === 1 ? 'file' : 'files'}`
      if (files.length > 0) console.log([`left to ${by}: ${what} ${count}`, ...files].join('\n  '))
    }
  }
}

function filesOf({ include, exclude = [], reading = '' }, cwd) {
  const isLeft = (file) => readFileSync(`${cwd}/${file}`, 'utf8').includes(reading)
  const isForeign = (file) => file.split(/[/\\]/).includes('node_modules')
  return globSync(include, { cwd, exclude: [...exclude] })
    .filter((file) => !isForeign(file) && isLeft(file))
    .sort()
}
