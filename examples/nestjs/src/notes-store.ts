export interface Note {
  readonly id: string
  readonly text: string
  readonly ownerId: string
}

/** Yours: a table, an ORM. */
export class NotesStore {
  readonly #notes = new Map<string, Note>([
    ['1', { id: '1', text: 'Buy milk', ownerId: 'acc_1' }],
    ['2', { id: '2', text: 'Call Ada', ownerId: 'acc_2' }],
  ])

  list(): readonly Note[] {
    return [...this.#notes.values()]
  }

  write(id: string, text: string): Note | null {
    const note = this.#notes.get(id)
    if (!note) return null
    const written = { ...note, text }
    this.#notes.set(id, written)
    return written
  }
}

export const store = new NotesStore()
