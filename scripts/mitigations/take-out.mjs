import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Removes a mitigation from a checkout. Call the returned function to restore it.
 *
 * @throws Error if the file does not contain the text of the mitigation exactly once: the list is stale.
 */
export function takeOut({ name, file, from, to }, checkout) {
  const path = join(checkout, file)
  const source = readFileSync(path, 'utf8')
  const places = source.split(from).length - 1
  if (places !== 1) {
    throw new Error(`${file} has the text of ${name} ${places} times: edit its "from" in scripts/mitigations`)
  }
  // A function, because `replace` expands "$" in a string.
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  return () => writeFileSync(path, source)
}
