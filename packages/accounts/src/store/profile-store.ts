/** The capability of changing what an account shows of itself. */
export interface ProfileStore {
  /** Sets the name of an account; `false`: there is none with that id. */
  rename(id: string, name: string): Promise<boolean>
}
