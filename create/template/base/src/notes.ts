export interface Note {
  readonly id: string
  readonly ownerId: string
  readonly text: string
}

/** The notes of all accounts. `database.ts` keeps them in the database; tests keep them in memory. */
export interface Notes {
  listOf(ownerId: string): Promise<readonly Note[]>
  create(note: Note): Promise<void>
  update(id: string, text: string): Promise<Note | null>
  /** The owners of the notes that exist, by the ids of the notes. */
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}
