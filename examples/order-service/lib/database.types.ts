/** The part of the schema that this service touches, as `supabase gen types` writes it. */

type Table<Row, Insert = Partial<Row>> = {
  Row: Row;
  Insert: Insert;
  Update: Partial<Row>;
  Relationships: [];
};

export type Profile = { id: string; name: string; phone: string; grade: string };

export type Order = {
  id: string;
  number: string;
  status: string;
  user_id: string;
  client_request_id: string;
  product_id: string;
  quantity: number;
  phone: string;
};

type NewOrder = Omit<Order, "id" | "number" | "status">;

export type Database = {
  public: {
    Tables: {
      profiles: Table<Profile>;
      orders: Table<Order, NewOrder>;
      order_items: Table<{ order_id: string; product_id: string }>;
      product_thumbnails: Table<{ product_id: string; url: string }>;
      reviews: Table<{ id: string; order_id: string; rating: number }>;
      order_counts: Table<{ status: string; count: number }>;
    };
    Views: {};
    Functions: {
      take_rate_limit_token: {
        Args: { bucket: string; per_minute: number };
        Returns: boolean;
      };
    };
  };
};
