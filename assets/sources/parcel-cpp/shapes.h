/* Shared by both compilation units, so that inlined calls name a document that is not the one compiled. */
#pragma once

namespace parcel {

enum class Grade : unsigned char { Plain, Fragile, Heavy };

/* Bit fields of one storage unit, and padding behind them. */
struct Flags {
    unsigned grade : 2;
    unsigned sealed : 1;
    unsigned zone : 5;
    unsigned long long stamp;
};

/* Holes: one byte, then eight; the tail is padded. */
struct Label {
    char code;
    const char *text;
    short width;
};

class Item {
public:
    explicit Item(int grams) : grams_(grams) {}
    virtual ~Item() = default;
    virtual int price() const = 0;
    virtual Grade grade() const { return Grade::Plain; }
    int grams() const { return grams_; }

protected:
    int grams_;
};

class Tracked {
public:
    virtual void moved(int zone) { zone_ = zone; }
    int zone() const { return zone_; }

private:
    int zone_ = 0;
};

/* Two bases, each with a table of virtual functions. */
class Box final : public Item, public Tracked {
public:
    Box(int grams, Label label) : Item(grams), label_(label) {}
    int price() const override { return 300 + grams_ * 2; }
    Grade grade() const override { return grams_ > 1000 ? Grade::Heavy : Grade::Plain; }
    void moved(int zone) override;

private:
    Label label_;
    Flags flags_ = {};
};

template <typename T, int Capacity> class Stack {
public:
    bool push(T value)
    {
        if (count_ == Capacity)
            return false;
        values_[count_++] = value;
        return true;
    }
    T pop() { return count_ ? values_[--count_] : T(); }
    int count() const { return count_; }

private:
    T values_[Capacity] = {};
    int count_ = 0;
};

/* Inlined into its callers at /O2, and itself a caller of an inlined function. */
inline int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

inline int postage(const Item &item)
{
    int price = clamp(item.price(), 100, 5000);
    return price + item.grams() / 10;
}

int weigh(Stack<const Item *, 8> &stack);
int first_copy(int value);
int second_copy(int value);

}
