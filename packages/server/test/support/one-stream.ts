/** A schema with one stream, which ends after its first event: options of `createBench`. */
export const oneStream = {
  typeDefs: 'type Query { hello: String! @public } type Subscription { ticks: Int! @public }',
  resolvers: {
    Query: { hello: () => 'Hello' },
    Subscription: {
      ticks: {
        async *subscribe() {
          yield { ticks: 1 }
        },
      },
    },
  },
}
