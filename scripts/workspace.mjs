import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const { packageManager } = readJson(join(root, 'package.json'))

/** The packages that are published: name, folder and package.json of each. */
export function publicPackages(workspace = root) {
  return readdirSync(join(workspace, 'packages'))
    .map((name) => join(workspace, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readJson(join(folder, 'package.json')) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, manifest }))
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
