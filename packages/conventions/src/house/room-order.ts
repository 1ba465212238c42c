/**
 * The places of one package from the ground up, each with those before it that it may import. A place is a folder in `src`
 * (`rules`, `server/grants`), or a file directly in `src` that stands on folders and is no entry (`create-server.ts`).
 */
export type RoomOrder = Readonly<Record<string, readonly string[]>>

/** Each room may import all rooms before it. */
export function inOrder<const Rooms extends readonly string[]>(
  ...rooms: Rooms
): Record<Rooms[number], readonly string[]> {
  const lines = rooms.map((room, index) => [room, rooms.slice(0, index)])
  return Object.fromEntries(lines)
}
