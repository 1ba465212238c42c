// Prints at the end of a run of everything which test files it leaves to other tiers, and what runs them: none is left out
// in silence. A run of a part (of paths, titles or projects) prints nothing.
import { globSync, readFileSync } from 'node:fs'

export default class TiersReporter {
  #left
  #vitest
  #isWhole = false

  /**
   * @param options `left`: for each tier what runs it (`by`), the patterns of its files (`include`, `exclude`), `reading`:
   *   only files with this text, and `what` these files hold for it.
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
