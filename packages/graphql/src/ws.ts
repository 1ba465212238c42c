export {
  createSocketHandler,
  type SocketHandler,
  type SocketHandlerOptions,
  type SubscriptionSocket,
} from './subscriptions/create-socket-handler.ts'
