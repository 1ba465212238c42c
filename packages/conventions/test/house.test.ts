import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkAssignedFunctions } from '../src/checks/check-assigned-functions.ts'
import { checkChangesets } from '../src/checks/check-changesets.ts'
import { checkDependencies } from '../src/checks/check-dependencies.ts'
import { checkDocComments } from '../src/checks/check-doc-comments.ts'
import { checkErrorCodes } from '../src/checks/check-error-codes.ts'
import { checkLayers } from '../src/checks/check-layers.ts'
import { checkLinks } from '../src/checks/check-links.ts'
import { checkLocalPaths } from '../src/checks/check-local-paths.ts'
import { checkProofs } from '../src/checks/check-proofs.ts'
import { checkReferences } from '../src/checks/check-references.ts'
import { checkRooms } from '../src/checks/check-rooms.ts'
import { checkSeams } from '../src/checks/check-seams.ts'
import { checkShape } from '../src/checks/check-shape.ts'
import { checkSources } from '../src/checks/check-sources.ts'
import { apiText } from '../src/documents/api-text.ts'
import { plainWords } from '../src/documents/plain-words.ts'
import { wordCounts } from '../src/documents/word-counts.ts'
import { internalNames } from '../src/house/declarations.ts'
import type { House } from '../src/house/house.ts'
import { environmentReaders } from '../src/house/layers.ts'
import { seams } from '../src/house/seams.ts'
import { house } from './this-house.ts'

// In one file, which parses each source once.
const checks: Readonly<Record<string, (house: House) => readonly string[]>> = {
  checkAssignedFunctions,
  checkChangesets,
  checkDependencies,
  checkDocComments,
  checkErrorCodes,
  checkLayers,
  checkLinks,
  checkLocalPaths,
  checkProofs,
  checkReferences,
  checkRooms,
  checkSeams,
  checkShape,
  checkSources,
}

test.each(Object.entries(checks))('%s reports no breach in this repository', (_name, check) => {
  expect(check(house)).toEqual([])
})

const nameOf = (folder: string) => folder.replace('packages/', '')

test.each(house.packages)('$name has the public names and signatures of its snapshot in api', async (one) => {
  await expect(apiText(one)).toMatchFileSnapshot(`../api/${nameOf(one.folder)}.txt`)
})

const withInternals = house.packages.filter((one) => internalNames(one).length > 0)

test.each(withInternals)('$name has the names for its siblings of its snapshot in api/internal', async (one) => {
  const names = internalNames(one)
  await expect(`${names.length} names\n${names.join('\n')}\n`).toMatchFileSnapshot(
    `../api/internal/${nameOf(one.folder)}.txt`,
  )
})

/** Lower a number when it falls. A reader holds 350 names. */
const budgets = { publicNames: 407, typesThatCannotBeImported: 0 }

test('the packages have no more public names than their budget, and no more types that cannot be imported', () => {
  const found = { publicNames: 0, typesThatCannotBeImported: 0 }
  for (const one of house.packages) {
    const [exported = '', unexported = ''] = apiText(one).split('\nnot exported\n')
    found.publicNames += countDeclarations(exported)
    found.typesThatCannotBeImported += countDeclarations(unexported)
  }
  expect(found).toEqual(budgets)
})

const countDeclarations = (text: string) =>
  text.match(/^ {2}(?:type of )?(?:async )?(?:function|class|interface|type|const) \w+/gm)?.length ?? 0

test('no page has more than 2500 words and no README of a package more than 800', () => {
  const over = wordCounts(house).filter(({ words, limit }) => words > limit)
  expect(over.map(({ path, words }) => `${path}: ${words}`)).toEqual([])
})

/** Lower a number when it falls, and remove what is within the limit. `npm run words -- <folder>` lists the texts. */
const lessPlain: Readonly<Record<string, number>> = {}

test('no folder has more texts in words that need a second read than its limit, or than is recorded', () => {
  const over = plainWords(house).filter(({ folder, kind, flagged, limit }) => {
    return flagged.length > (lessPlain[`${folder} ${kind}`] ?? limit)
  })
  expect(over.map(({ folder, kind, flagged }) => `${folder} ${kind}: ${flagged.length}`)).toEqual([])
})

test('every record of texts that need a second read is above the limit of its folder', () => {
  const over = plainWords(house).filter(({ flagged, limit }) => flagged.length > limit)
  expect(Object.keys(lessPlain).filter((key) => !over.some(({ folder, kind }) => key === `${folder} ${kind}`))).toEqual(
    [],
  )
})

test('every snapshot in api is of a public package', () => {
  const known = house.packages.map(({ folder }) => `${nameOf(folder)}.txt`)
  const files = readdirSync(join(house.root, 'packages/conventions/api')).filter((file) => file !== 'internal')
  expect(files.filter((file) => !known.includes(file))).toEqual([])
})

describe('exceptions', () => {
  test.each(seams.flatMap(({ place, uses }) => uses.map((use) => ({ place, use }))))(
    '$place still needs $use',
    ({ place, use }) => {
      const others = seams.map((seam) =>
        seam.place === place ? { ...seam, uses: seam.uses.filter((other) => other !== use) } : seam,
      )
      const found = checkSeams(house, others)
      expect(found).not.toEqual([])
      for (const line of found) expect(line).toMatch(new RegExp(`^${place}:\\d+: ${use.replaceAll('.', '\\.')}: `))
    },
  )

  test.each(environmentReaders)('$place still needs the environment', ({ place }) => {
    const others = environmentReaders.filter((other) => other.place !== place)
    expect(checkSources(house, others)).toEqual([expect.stringMatching(`^${place}: declares process with env`)])
  })
})
