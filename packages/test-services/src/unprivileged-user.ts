import { readFileSync } from 'node:fs'
import type { ServerRecipe } from './server-process.ts'

/** Returns the user of a server that refuses to run as root: this one, or `nobody`; undefined when we are not root. */
export function findUnprivilegedUser(name: string): ServerRecipe['user'] {
  return process.getuid?.() === 0 ? (findUser(name) ?? findUser('nobody')) : undefined
}

function findUser(name: string): ServerRecipe['user'] {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}
