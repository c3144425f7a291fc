import { handlers } from "../../../lib/handlers";

export const { GET, POST } = handlers;
