import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'

/** The machine of the figures. */
export interface Machine {
  readonly date: string
  readonly node: string
  readonly cores: string
  readonly packages: Readonly<Record<string, string>>
}

export function describeMachine(packages: readonly string[]): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    packages: Object.fromEntries([...new Set(packages)].sort().map((name) => [name, versionOf(name)])),
  }
}

function versionOf(name: string): string {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

export function writeMachine({ date, node, cores, packages }: Machine): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return `${[date, `Node.js ${node}`, cores, ...versions].join(', ')}`
}
