import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A text of a source that is replaced while the source is loaded. */
export interface Patch {
  /** From the root of the repository. */
  readonly file: string
  /** It must be there exactly once. */
  readonly old: string
  readonly new: string
}

const root = new URL('../../../../../', import.meta.url)

/**
 * Replaces the text in all that is loaded from here on. What is loaded already stays as it is, so the sources are imported
 * afterwards.
 *
 * @returns a function that throws unless the source was loaded and changed.
 */
export function applyPatch({ file, old, new: replacement }: Patch): () => void {
  const path = fileURLToPath(new URL(file, root))
  let isApplied = false
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.startsWith('file:') || fileURLToPath(url) !== path) return loaded
      const parts = String(loaded.source).split(old)
      if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times instead of once: ${old}`)
      isApplied = true
      return { ...loaded, source: parts.join(replacement) }
    },
  })
  return () => {
    if (!isApplied) throw new Error(`${file} was not loaded`)
  }
}
