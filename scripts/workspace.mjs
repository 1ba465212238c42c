import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const { packageManager } = readJson(join(root, 'package.json'))

/** The published packages that programs import: name, folder and package.json of each. */
export function publicPackages(workspace = root) {
  return releasedPackages(workspace).filter(({ name }) => name.startsWith('@latchkey/'))
}

/** The published packages, including the command `npm create latchkey`. */
export function releasedPackages(workspace = root) {
  return [...readdirSync(join(workspace, 'packages')).map((name) => join('packages', name)), 'create']
    .map((path) => join(workspace, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readJson(join(folder, 'package.json')) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, manifest }))
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
