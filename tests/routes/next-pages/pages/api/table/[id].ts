import { call } from "../../../lib/remote";
import { withMethods } from "../../../lib/with-methods";

export default withMethods({
  GET: async (req, res) => {
    await call("/row", 1000);
    res.json({});
  },
  POST: async (req, res) => {
    await call("/row", 6000);
    res.json({});
  },
});
