import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { house } from '../this-house.ts'

/** Returns the packages of others whose files are loaded by importing these of ours, on Node.js. */
function loadedWith(names: readonly string[]): readonly string[] {
  const entries = names.map((name) => join(house.root, 'packages', name, 'src/index.ts'))
  const program = `
    import { registerHooks } from 'node:module'
    import { pathToFileURL } from 'node:url'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    for (const entry of ${JSON.stringify(entries)}) await import(pathToFileURL(entry))
    console.log(JSON.stringify(loaded))
  `
  const args = ['--no-warnings', '--conditions=@latchkey/source', '--input-type=module', '--eval', program]
  const files: string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  return [...new Set(packages)].sort()
}

// Every file costs a process that starts about half a millisecond: what only some need is loaded when they do.
test('importing packages without GraphQL loads only the cookie package of others', () => {
  const names = ['bytes', 'store', 'password', 'sessions', 'jwt', 'rbac', 'http', 'accounts']
  expect(loadedWith(names)).toEqual(['cookie'])
})

test('importing the server loads graphql, its bundled packages, and no other foreign package', () => {
  expect(loadedWith(['server'])).toEqual(['cookie', 'graphql', 'graphql-http', 'graphql-ws'])
})
