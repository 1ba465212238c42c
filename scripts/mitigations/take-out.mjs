import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes a mitigation out of a checkout; call what it returns to put it back.
 *
 * @throws Error when what is to be replaced does not stand there exactly once: the list is stale.
 */
export function takeOut({ name, file, from, to }, checkout) {
  const path = join(checkout, file)
  const source = readFileSync(path, 'utf8')
  const places = source.split(from).length - 1
  if (places !== 1) {
    throw new Error(`${file} has the text of ${name} ${places} times: edit its "from" in scripts/mitigations`)
  }
  // As a function, so that no "$" in it means anything.
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  return () => writeFileSync(path, source)
}
