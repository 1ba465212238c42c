import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { house } from '../build-house.ts'

const config = readFileSync(join(house.root, 'tsup.config.ts'), 'utf8')
const [, list = ''] = /^const inlined = \[(.*)\]$/m.exec(config) ?? []
const inlined = [...list.matchAll(/'@latchkey\/([a-z-]+)'/g)].flatMap(([, name]) => name ?? [])

test('the build names what it puts into every package', () => {
  expect(inlined).toContain('options')
})

// Two copies of them are two of everything that they know.
describe.each(inlined)('%s, of which each package has a copy, knows nothing that two copies would not', (name) => {
  const files = globSync('src/**/*.ts', { cwd: join(house.root, 'packages', name) })

  test.each(files)('%s', (file) => {
    const text = readFileSync(join(house.root, 'packages', name, file), 'utf8')
    expect(text.match(/^(export )?(let |(const|var) .*(new (Weak|Map\b)|Symbol\()|(abstract )?class )/gm)).toBeNull()
  })
})
