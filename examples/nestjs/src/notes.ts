import { type AuthContext, authDirectives } from '@latchkey/graphql'
import { Inject, Module } from '@nestjs/common'
import { GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql'
import { LatchkeyDriver } from './latchkey-driver.ts'
import { type Note, NotesStore, store } from './notes-store.ts'
import type { policy } from './policy.ts'

const typeDefs = /* GraphQL */ `${authDirectives}
  type Note { id: ID! @public, text: String! @public }
  type Query {
    hello: String! @public
    viewer: String! @authenticated
    notes: [Note!]! @requires(permissions: "notes:read")
  }
  type Mutation {
    updateNote(id: ID!, text: String!): Note
      @requires(permissions: "notes:update") @owner(of: "notes", argument: "id")
  }`

class NotesResolver {
  readonly #notes: NotesStore

  constructor(notes: NotesStore) {
    this.#notes = notes
  }

  hello(): string {
    return 'Hello'
  }

  viewer(_source: unknown, _args: object, { identity }: AuthContext<typeof policy>): string | undefined {
    return identity?.subject
  }

  notes(): readonly Note[] {
    return this.#notes.list()
  }

  updateNote(_source: unknown, { id, text }: { id: string; text: string }): Note | null {
    return this.#notes.write(id, text)
  }
}

/** The module of the application. */
export class NotesModule {}

// Node.js runs TypeScript without decorators, so they are called. With a compiler write `@Query()` above the method.
const on = (decorate: MethodDecorator, name: keyof NotesResolver) =>
  decorate(NotesResolver.prototype, name, Object.getOwnPropertyDescriptor(NotesResolver.prototype, name) ?? {})
Resolver()(NotesResolver)
Inject(NotesStore)(NotesResolver, undefined, 0)
for (const name of ['hello', 'viewer', 'notes'] as const) on(Query(name), name)
on(Mutation('updateNote'), 'updateNote')
Module({
  imports: [GraphQLModule.forRoot({ driver: LatchkeyDriver, typeDefs, path: '/graphql' })],
  providers: [NotesResolver, { provide: NotesStore, useValue: store }],
})(NotesModule)
