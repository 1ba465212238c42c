import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../workspace.mjs'

/**
 * Copies the files of the working tree, with uncommitted changes, to a new temporary folder. The copy uses the installed
 * packages of the checkout; links between packages of the workspace lead to their copies.
 */
export function copyCheckout() {
  const copy = mkdtempSync(join(tmpdir(), 'latchkey-mitigations-'))
  for (const file of filesOfCheckout()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    copyFileSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  for (const name of readdirSync(join(root, 'packages'))) {
    const installed = join('packages', name, 'node_modules')
    if (existsSync(join(root, installed))) copyLinks(join(root, installed), join(copy, installed))
  }
  return copy
}

function filesOfCheckout() {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const listed = execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\0')
  return listed.filter((file) => file !== '' && existsSync(join(root, file)) && lstatSync(join(root, file)).isFile())
}

/** Keeps the links relative: `packages/sessions/node_modules/@latchkey/store` leads to `packages/store` of the copy. */
function copyLinks(from, to) {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
