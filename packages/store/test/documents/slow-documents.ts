import type { DocumentStore } from '@latchkey/store'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A store whose calls all take a turn, so that callers overlap at every step. */
export function slow(documents: DocumentStore): DocumentStore {
  const held =
    (name: keyof DocumentStore) =>
    async (...parameters: never[]) => {
      await turn()
      return (documents[name] as (...values: never[]) => unknown)(...parameters)
    }
  const names = ['insert', 'get', 'replace', 'remove', 'list', 'listByOwner', 'removeByOwner'] as const
  return Object.assign({ ...documents }, Object.fromEntries(names.map((name) => [name, held(name)])))
}
