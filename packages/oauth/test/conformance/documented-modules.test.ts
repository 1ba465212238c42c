import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { basicFlows } from './basic-flows.ts'
import { basicRefusals } from './basic-refusals.ts'
import { basicSignIns } from './basic-sign-ins.ts'
import { configModules } from './config-modules.ts'
import { logoutModules } from './logout-modules.ts'

const page = readFileSync(new URL('../../../../docs/openid-conformance.md', import.meta.url), 'utf8')

/** The names of the rows below a heading; those that are not applicable are struck out. */
const rowsBelow = (heading: string): readonly string[] => {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| `(oidcc-[\w-]+)` /gm)].map(([, name = '']) => name)
}

const namesOf = (modules: readonly { readonly name: string }[]) => [...new Set(modules.map(({ name }) => name))]

test.each([
  ['Basic OP', [...basicFlows, ...basicSignIns, ...basicRefusals]],
  ['Config OP', configModules],
  ['RP-initiated logout', logoutModules],
] as const)('the table of %s in the documents has every tested module, and no others', (plan, modules) => {
  expect([...rowsBelow(plan)].sort()).toEqual(namesOf(modules).sort())
})
