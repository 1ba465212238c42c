import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Result, readRun } from '../src/documents/result.ts'
import { replaceSection, sectionNames } from '../src/documents/sections.ts'
import { draw, ownPlaces, type Places, readResults, writeDocuments } from '../src/documents/write-documents.ts'
import { readOptions } from '../src/options.ts'
import { atLeast, atMost } from '../src/part.ts'
import { parts } from '../src/parts.ts'

const result: Result = {
  about: 'what it asks',
  machine: { date: '2026-11-22', node: '24.0.0', cores: '2 cores', packages: { peer: '1.0.0' } },
  rounds: 3,
  seconds: 1,
  tables: [
    {
      title: 'One request',
      head: ['way', 'µs'],
      rows: [['latchkey', '10']],
      chart: { unit: 'µs', better: 'less', series: ['median'], bars: [{ label: 'latchkey', values: [10] }] },
    },
  ],
  targets: [atMost(5, 'µs', 'latchkey', 10, [{ name: 'peer', measured: 7 }])],
}

const page = `# Measured

<!-- measured: promises -->

old promises

<!-- end of measured -->

## One

<!-- measured: one -->

old one

<!-- end of measured -->

By hand.

<!-- measured: two -->

old two

<!-- end of measured -->
`

function createPlaces(): Places {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-documents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const places = { results: join(folder, 'results'), documents: join(folder, 'docs') }
  mkdirSync(places.documents)
  writeFileSync(`${places.documents}/benchmarks.md`, page)
  return places
}

const readPage = ({ documents }: Places): string => readFileSync(`${documents}/benchmarks.md`, 'utf8')

describe('documents written from results', () => {
  test('have table, chart and promises of the measured parts, and keep all other text', () => {
    const places = createPlaces()
    writeDocuments({ one: result }, ['one', 'two'], places)
    const text = readPage(places)
    expect(text).toContain('2026-11-22, Node.js 24.0.0, 2 cores, peer 1.0.0. 3 rounds of each way, 1 s.')
    expect(text).toMatch(/\| latchkey \| 10 +\|/)
    expect(text).toContain('![One request, µs. latchkey: 10.](charts/one.svg)')
    expect(text).toMatch(/\| µs: at most 5 \| latchkey \| 10 +\| peer: 7 +\| no +\|/)
    expect(text).toContain('\nBy hand.\n')
    expect(text).toContain('old two')
    for (const old of ['old one', 'old promises']) expect(text).not.toContain(old)
    expect(readFileSync(`${places.documents}/charts/one.svg`, 'utf8')).toContain('<svg ')
  })

  test('keep the result of a part that a later run leaves out', () => {
    const places = createPlaces()
    writeDocuments({ one: result }, ['one', 'two'], places)
    writeDocuments({ two: { ...result, targets: [] } }, ['one', 'two'], places)
    expect(Object.keys(readResults(['one', 'two'], places))).toEqual(['one', 'two'])
    expect(readPage(places)).toMatch(/\| one +\| µs: at most 5/)
  })

  test('are the same when they are written again', () => {
    const places = createPlaces()
    writeDocuments({ one: result }, ['one'], places)
    const once = readPage(places)
    writeDocuments({}, ['one'], places)
    expect(readPage(places)).toBe(once)
  })

  test('equal the sections and charts of this repository for its results', () => {
    for (const [file, text] of Object.entries(draw(readResults(Object.keys(parts))))) {
      expect(readFileSync(`${ownPlaces.documents}/${file}`, 'utf8'), file).toBe(text)
    }
  })

  test('have a section for every part', () => {
    const pages = readdirSync(ownPlaces.documents).filter((name) => /^benchmarks.*\.md$/.test(name))
    const sections = pages.flatMap((name) => sectionNames(readFileSync(`${ownPlaces.documents}/${name}`, 'utf8')))
    expect(sections.toSorted()).toEqual([...Object.keys(parts), 'promises'].toSorted())
  })

  test('a section that a document does not have is an error', () => {
    expect(() => replaceSection(page, 'three', '')).toThrow('no section three')
  })
})

describe('promises', () => {
  const peers = [
    { name: 'slow', measured: 9 },
    { name: 'fast', measured: 3 },
    { name: 'absent', measured: Number.NaN },
  ]

  test('name the strongest of the peers: the one with the least, or with the most', () => {
    expect(atMost(5, 'µs', 'ours', 4, peers)).toMatchObject({ isReached: true, peer: { name: 'fast' } })
    expect(atLeast(5, '×', 'ours', 4, peers)).toMatchObject({ isReached: false, peer: { name: 'slow' } })
  })

  test('have no peer without an alternative', () => {
    expect(atMost(5, 'µs', 'ours', 5)).toEqual({ promise: 'µs: at most 5', way: 'ours', measured: 5, isReached: true })
  })
})

describe('the arguments of a run', () => {
  test('by default include every part except those that take minutes, each for its own time', () => {
    const options = readOptions([])
    expect(options).toMatchObject({ rounds: null, seconds: null, json: false, writeDocs: false, from: null })
    expect(options?.parts).toContain('service')
    expect(options?.parts).not.toContain('sessions-owners')
  })

  test('a part that takes minutes is measured when it is named', () => {
    expect(readOptions(['sessions-owners', '--rounds', '2'])).toMatchObject({ parts: ['sessions-owners'], rounds: 2 })
  })

  test('read an earlier run from the output of --json only', () => {
    expect(readOptions(['--from', 'run.json', '--write-docs'])).toMatchObject({ from: 'run.json', writeDocs: true })
    expect(readRun(JSON.stringify({ parts: { one: result } })).parts.one).toEqual(result)
    expect(() => readRun('[]')).toThrow(TypeError)
  })

  test.each(['0', '1.5', 'many'])('--rounds %s is refused', (text) => {
    expect(() => readOptions(['--rounds', text])).toThrow(TypeError)
  })
})
