export { list as GET } from "../../../lib/handlers";
