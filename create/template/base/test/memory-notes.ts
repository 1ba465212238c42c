import type { Note, Notes } from '../src/notes.ts'

export function createMemoryNotes(): Notes {
  const notes = new Map<string, Note>()
  return {
    listOf: async (ownerId) => [...notes.values()].filter((note) => note.ownerId === ownerId),
    create: async (note) => void notes.set(note.id, note),
    async update(id, text) {
      const note = notes.get(id)
      if (note === undefined) return null
      const changed = { ...note, text }
      notes.set(id, changed)
      return changed
    },
    async ownersOf(ids) {
      const found = ids.flatMap((id) => notes.get(id) ?? [])
      return new Map(found.map(({ id, ownerId }) => [id, ownerId]))
    },
  }
}
